import type { Io } from '../io.ts'

/** While a run goes on: says, quiet or not, that Ctrl-C was heard, as the end of a run takes its time. `release` ends that. */
export function tellInterruption(io: Io): { release(): void } {
  const tell = () => io.stderr('interrupted: writing the report; Ctrl-C again ends at once\n')
  io.interrupted.addEventListener('abort', tell)
  return { release: () => io.interrupted.removeEventListener('abort', tell) }
}
