import type { Io } from '../io.ts'

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
