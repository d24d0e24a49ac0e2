import type { Io } from '../io.ts'
import type { LiveView } from './live-view.ts'

export type LiveOptions = {
  /** Serves the live view. */
  live?: true | undefined
}

/** Serves the live view while `use` runs, if it was requested, and prints its address. `styles`: like `openLiveView`. */
export async function withLiveView<T>(
  { io, live, styles }: LiveOptions & { io: Io; styles?: readonly string[] },
  use: (view: LiveView | undefined) => Promise<T>,
): Promise<T> {
  if (live === undefined) return use(undefined)
  const { openLiveView } = await import('./live-view.ts')
  const view = await openLiveView(styles === undefined ? {} : { styles })
  // Not a log line: with --quiet too, no one could find the page without it.
  io.stderr(`Live view: ${view.url}\n`)
  try {
    return await use(view)
  } finally {
    await view.end()
  }
}
