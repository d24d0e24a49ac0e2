import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'

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
