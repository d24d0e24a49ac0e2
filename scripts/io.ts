import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'

/** What the process hands to the command line: passed in, so that the real commands run in tests. */
export type Outside = {
  /** Without the interpreter and the script. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Results; one line at a time. */
  stdout: (line: string) => void
  /** Everything else; text as it is. */
  stderr: (text: string) => void
  terminal: Terminal
  /** Aborted at Ctrl-C; the reason is the name of the signal. */
  interrupted: AbortSignal
}

/** Which of the two streams a person watches, on a terminal that can rewrite its lines, and how wide that is at the moment. */
export type Terminal = { stdout: boolean; stderr: boolean; columns: () => number }

/** A file, a pipe, a log of CI. */
export const NO_TERMINAL: Terminal = { stdout: false, stderr: false, columns: () => 80 }

/** How much a command says of what it does: `--quiet`, nothing asked for, `--verbose`. */
export type Loudness = 'quiet' | 'usual' | 'verbose'

/**
 * What a command has of the world outside. Errors and whatever else must be known at any loudness go to `stderr`. All that it
 * writes passes terminal-text.ts: texts of targets and files may be handed to it as they are, colors are those of paintFor.
 */
export type Io = Omit<Outside, 'stdout' | 'stderr'> & {
  /** A line of a result; further lines are indented. */
  stdout: (line: string) => void
  /** A result of many lines, whose line ends are all our own: JSON, YAML, help, a script. */
  document: (text: string) => void
  /** A message: one line, and indented ones. */
  stderr: (message: string) => void
  loudness: () => Loudness
  /** What goes on: a line on stderr; nowhere with `--quiet`. */
  tell: (line: string) => void
  /**
   * What is under way, the most important part first: on a terminal the last line, rewritten and fitted to its width, until
   * null takes it away; elsewhere a line now and then; nowhere with `--quiet`.
   */
  status: (parts: readonly string[] | null) => void
}

const NOTHING_RUN = 'interrupted before anything was run'

/** Throws a BreakwaterError (interrupted) where the user has asked for the end. */
export function throwIfInterrupted(signal: AbortSignal, message = NOTHING_RUN): void {
  if (signal.aborted) throw interruption(message)
}

/** What the work gives, or a BreakwaterError (interrupted) as soon as the user asks for the end: for work that can be left. */
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

/** Waits for the user, or the system, to ask for the end. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done())
  })
}

type Voice = Pick<Io, 'interrupted' | 'stderr'>

const told = new WeakSet<AbortSignal>()

/**
 * From the beginning of a run on: says, quiet or not, that Ctrl-C was heard, as the end of a run takes its time; also if it was
 * heard just before.
 */
export function tellInterruption(io: Voice): void {
  const tell = () => tellOnce(io, 'interrupted: writing the report; Ctrl-C again ends at once')
  if (io.interrupted.aborted) tell()
  else io.interrupted.addEventListener('abort', tell, { once: true })
}

/** For a command that came to its end after Ctrl-C: explains its exit code, if nothing has been said of it yet. */
export function tellInterruptedEnd(io: Voice): void {
  // Without a signal it was the output that failed, and that is reported.
  if (typeof io.interrupted.reason === 'string') tellOnce(io, 'breakwater: interrupted')
}

function tellOnce({ interrupted, stderr }: Voice, message: string): void {
  if (told.has(interrupted)) return
  told.add(interrupted)
  stderr(`${message}\n`)
}
