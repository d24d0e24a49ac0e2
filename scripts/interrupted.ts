import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { Io } from './io.ts'

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
