import type { TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import type { SeriesPoint } from '../../contract/series.ts'

/** Seconds from one Unix second up to, but not including, another. */
type Window = { from: number; to: number }

/** Takes a run's points as they are read, and hands on those of its judged part. */
export type JudgedPart = {
  see(point: SeriesPoint, jumpedSeconds: number): void
  /** Nothing more comes. Answers how many seconds were judged: all that were planned, where the run came to its end. */
  end(complete: boolean): number
}

/**
 * A held load notes its judged part as its one trial. Without that it begins where the load began, as k6 told, or else with
 * the first second that was measured. A run without a held load is judged as a whole. Seconds go on evenly, whatever the clock
 * of the load generator did.
 */
export function createJudgedPart(options: {
  load: Run['load']
  trials: readonly Pick<TrialFacts, 'judgedFrom' | 'judgedTo'>[]
  /** `second`: of the judged part, from 0. */
  use: (point: SeriesPoint, second: number) => void
}): JudgedPart {
  const { load, use } = options
  let window = notedWindow(options.trials)
  let waiting: { point: SeriesPoint; time: number }[] = []
  let lastSecond = -1

  const take = (point: SeriesPoint, time: number, { from, to }: Window) => {
    // A clock that was put right by less than what counts as a jump: a run that is judged as a whole loses nothing.
    const second = load === null ? Math.max(0, time - from) : time - from
    if (second < 0 || time >= to) return
    lastSecond = Math.max(lastSecond, second)
    use(point, second)
  }
  const settle = () => {
    const found = windowOf(load, waiting)
    for (const { point, time } of waiting) take(point, time, found)
    waiting = []
    return found
  }

  return {
    see(point, jumpedSeconds) {
      const time = point.time - jumpedSeconds
      if (window !== undefined) return take(point, time, window)
      waiting.push({ point, time })
      if (time > (waiting[0]?.time ?? time) + START_SECONDS) window = settle()
    },
    end(complete) {
      window ??= settle()
      return complete && Number.isFinite(window.to) ? window.to - window.from : lastSecond + 1
    },
  }
}

/** Within these each k6 process tells when its part of the load began. */
const START_SECONDS = 5

function notedWindow([trial, ...others]: readonly Pick<TrialFacts, 'judgedFrom' | 'judgedTo'>[]):
  | Window
  | undefined {
  if (trial === undefined || others.length > 0) return undefined
  const { judgedFrom: from, judgedTo: to } = trial
  return from === null || to === null ? undefined : { from, to }
}

function windowOf(load: Run['load'], first: readonly { point: SeriesPoint; time: number }[]): Window {
  const firstSecond = first.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY)
  if (load === null || first.length === 0) return { from: firstSecond, to: Number.POSITIVE_INFINITY }
  const starts = first.flatMap(({ point }) => (point.metric === LOAD_START ? [(point.max ?? 0) / 1000] : []))
  const from = Math.ceil(Math.max(firstSecond, ...starts) + load.warmUpSeconds)
  return { from, to: from + Math.floor(load.seconds) }
}
