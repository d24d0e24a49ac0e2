import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'

/** The process as the command line sees it: passed in, so that tests can run the real commands. */
export type Outside = {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  stdout: (line: string) => void
  stderr: (text: string) => void
  terminal: Terminal
  /** Aborted at Ctrl-C; the reason is the signal's name. */
  interrupted: AbortSignal
}

/** Streams that are terminals with cursor control, and the current width. */
export type Terminal = { stdout: boolean; stderr: boolean; columns: () => number }

export const NO_TERMINAL: Terminal = { stdout: false, stderr: false, columns: () => 80 }

export type Verbosity = 'quiet' | 'normal' | 'verbose'

/**
 * Output, environment and cancellation for a command. Errors go to `stderr` at every verbosity. All output passes
 * terminal-text.ts, so texts of targets and files need no escaping; colors come from paintFor.
 */
export type Io = Omit<Outside, 'stdout' | 'stderr'> & {
  /** Writes a line of the result; further lines are indented. */
  stdout: (line: string) => void
  /** Writes a result of many lines whose line ends are all ours: JSON, YAML, help, a script. */
  document: (text: string) => void
  /** Writes a message; further lines are indented. */
  stderr: (message: string) => void
  verbosity: () => Verbosity
  /** Logs a line to stderr, except with `--quiet`. */
  log: (line: string) => void
  /**
   * Shows the current activity, most important part first. A terminal shows it as its last line, rewritten and fitted
   * to the width, until null removes it; otherwise a line appears now and then. Silent with `--quiet`.
   */
  status: (parts: readonly string[] | null) => void
}

const NOTHING_RUN = 'interrupted before any run started'

export function throwIfInterrupted(signal: AbortSignal, message = NOTHING_RUN): void {
  if (signal.aborted) throw interruption(message)
}

/** Resolves with the work, or throws a BreakwaterError (interrupted) at Ctrl-C. Only for work that can be abandoned. */
export async function orInterrupted<T>(
  signal: AbortSignal,
  work: Promise<T>,
  message = NOTHING_RUN,
): Promise<T> {
  let leave = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    leave = () => reject(interruption(message))
  })
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    return await Promise.race([work, interrupted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function interruption(message: string): BreakwaterError {
  return new BreakwaterError(message, { exitCode: EXIT.interrupted })
}

export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done())
  })
}

type Voice = Pick<Io, 'interrupted' | 'stderr'>

const reported = new WeakSet<AbortSignal>()

/**
 * Acknowledges Ctrl-C at every verbosity, because a run takes time to end. Call it when a run starts; it also reports
 * an interruption from just before.
 */
export function printInterruption(io: Voice): void {
  const report = () => reportOnce(io, 'interrupted: writing the report; Ctrl-C again ends at once')
  if (io.interrupted.aborted) report()
  else io.interrupted.addEventListener('abort', report, { once: true })
}

/** Explains the exit code of a command that ended after Ctrl-C, unless it was already explained. */
export function printInterruptedEnd(io: Voice): void {
  // Without a signal the output failed, which is reported elsewhere.
  if (typeof io.interrupted.reason === 'string') reportOnce(io, 'breakwater: interrupted')
}

function reportOnce({ interrupted, stderr }: Voice, message: string): void {
  if (reported.has(interrupted)) return
  reported.add(interrupted)
  stderr(`${message}\n`)
}
