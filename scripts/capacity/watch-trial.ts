import { LOAD_START } from '../../contract/scenario-config.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'
import {
  createFoldedSeries,
  type FoldedSeries,
  foldPoint,
  METRICS_READ,
} from '../../reports/series/fold-series.ts'
import { readPoint } from '../../reports/series/read-line.ts'
import { findHopeless } from '../../reports/slo/is-hopeless.ts'
import { followLines } from '../follow-lines.ts'
import { type JudgedWindow, judgedWindow } from './judged-window.ts'

const LOOK_MS = 500
/** k6 writes a second when it has been over for a quarter of one, and looks once a second. */
const SETTLED_MS = 2500

/** Why a trial is to be ended before its time. */
export type EndEarly = { ended: 'hopeless' | 'budget'; reason: string }

/** What a trial is, for whoever watches it. */
export type WatchedTrial = {
  files: readonly string[]
  slo: Slo
  rate: number
  warmUpSeconds: number
  seconds: number
  vusMax: number
  /** The most of an iteration. */
  requestsPerIteration: number
  /** That may still be sent; null: as many as it takes. */
  requestsLeft: number | null
  /** Whether one that cannot meet the objectives is ended. */
  endsHopeless: boolean
}

/**
 * Reads the series of a trial while it grows, and says once why it should end early: an objective cannot be met any more, or it
 * has sent what it may.
 */
export function watchTrial(trial: WatchedTrial, onEnd: (end: EndEarly) => void): { stop(): void } {
  const watch = createWatch(trial)
  let looking = false
  const look = async () => {
    if (looking) return
    looking = true
    const end = await watch.look(Date.now())
    looking = false
    if (end === undefined) return
    stop()
    onEnd(end)
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  const stop = () => clearInterval(timer)
  return { stop }
}

export type Watch = {
  /** Reads what has come since, and says why the trial should end, if it should. */
  look(nowMs: number): Promise<EndEarly | undefined>
}

/** A watch that has seen nothing of the trial yet. */
export function createWatch(trial: WatchedTrial): Watch {
  const whole = createFoldedSeries()
  const begun = new Set<string>()
  let waiting: SeriesPoint[] = []
  let judged: { series: FoldedSeries; window: JudgedWindow } | undefined
  let requests = 0
  const take = (file: string, text: string) => {
    const read = readPoint({ text, number: 0, terminated: true }, file, (metric) => METRICS_READ.has(metric))
    if (read.kind !== 'point') return
    const { point } = read
    if (point.metric === 'http_req_duration') requests += point.count
    if (judged !== undefined) return foldPoint(judged.series, point)
    foldPoint(whole, point)
    waiting.push(point)
    if (point.metric === LOAD_START) begun.add(file)
  }
  const followers = trial.files.map((file) => followLines(file, (line) => take(file, line)))
  const begin = (startMs: number) => {
    const window = judgedWindow({ ...trial, startMs })
    const series = createFoldedSeries({ slo: trial.slo, slice: { trial: null, ...window } })
    for (const point of waiting) foldPoint(series, point)
    waiting = []
    judged = { series, window }
  }
  return {
    async look(nowMs) {
      for (const follower of followers) await follower.look()
      if (trial.requestsLeft !== null && requests >= trial.requestsLeft) {
        return { ended: 'budget', reason: 'it had sent all requests that the search may' }
      }
      if (judged === undefined && begun.size === followers.length) begin(whole.loadStartMs ?? nowMs)
      if (!trial.endsHopeless || judged === undefined) return undefined
      return whyHopeless({ ...judged, trial, nowMs })
    },
  }
}

function whyHopeless(options: {
  series: FoldedSeries
  window: JudgedWindow
  trial: WatchedTrial
  nowMs: number
}): EndEarly | undefined {
  const { series, window, trial, nowMs } = options
  const settledTo = Math.floor((nowMs - SETTLED_MS) / 1000)
  const secondsLeft = Math.max(0, window.to - Math.max(window.from, settledTo))
  // Those that come, and those that are under way.
  const iterations = trial.rate * secondsLeft + trial.vusMax
  const objective = findHopeless(series, {
    settledTo,
    toCome: {
      iterations,
      requests: iterations * trial.requestsPerIteration,
      events: Number.POSITIVE_INFINITY,
      sockets: Number.POSITIVE_INFINITY,
    },
  })
  return objective === undefined
    ? undefined
    : { ended: 'hopeless', reason: `${objectiveText(objective)}: not to be met any more` }
}
