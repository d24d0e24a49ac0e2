import type { LoadUnderWay } from '../capacity/progress.ts'
import type { Io } from '../io.ts'
import { followLoad } from '../progress/recent-load.ts'
import { showProgress } from '../progress/show-progress.ts'
import { timeText } from '../progress/time-text.ts'

/** Shows which run of a comparison is under way, how long all of them still take, and what its load looks like. */
export function showTurns(io: Io): {
  /** `secondsLeft`: of this run and those after it, roughly. */
  begin(what: string, secondsLeft: number): void
  onLoad(load: LoadUnderWay): void
  stop(): Promise<void>
} {
  let now: { what: string; endMs: number } | undefined
  let load = followLoad([])
  const { stop } = showProgress(io, {
    look: () => load.look(),
    parts() {
      if (now === undefined) return []
      const left = (now.endMs - performance.now()) / 1000
      // A guess that was too low says nothing any more.
      return [now.what, ...(left < 1 ? [] : [`some ${timeText(left)} left`]), ...load.parts()]
    },
  })
  return {
    begin(what, secondsLeft) {
      now = { what, endMs: performance.now() + secondsLeft * 1000 }
      load = followLoad([])
    },
    onLoad({ seriesFiles }) {
      load = followLoad(seriesFiles)
    },
    stop,
  }
}
