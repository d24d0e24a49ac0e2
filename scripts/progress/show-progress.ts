/**
 * This folder tells how a run goes on: what is under way, what is left, and what its load looks like now. A run that is watched is
 * read from its files as they grow, a look at a time, and nothing of it is kept.
 */
import type { Io } from '../io.ts'

const LOOK_MS = 500

/**
 * Shows what is under way until it is stopped: `look` reads what has come since, and `parts` says it, the most important first;
 * with nothing to say, nothing is shown.
 */
export function showProgress(
  io: Io,
  options: { look: () => Promise<void>; parts: () => readonly string[] },
): { stop(): Promise<void> } {
  const { look, parts } = options
  let looking: Promise<void> | undefined
  const show = async () => {
    // A file that cannot be read now can be next time, and where not, the report says so.
    await look().catch(() => {})
    if (timer !== undefined) io.status(parts().length > 0 ? parts() : null)
  }
  const tick = () => {
    looking ??= show().finally(() => {
      looking = undefined
    })
  }
  let timer = io.loudness() === 'quiet' ? undefined : setInterval(tick, LOOK_MS)
  if (timer !== undefined) tick()
  return {
    async stop() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      await looking
      // For who tells the last state.
      await look().catch(() => {})
      io.status(null)
    },
  }
}
