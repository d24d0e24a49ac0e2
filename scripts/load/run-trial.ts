import type { TrialFacts } from '../../contract/capacity.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { findHopeless } from '../../reports/judge-slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'
import {
  createFoldedSeries,
  type FoldedSeries,
  foldPoint,
  METRICS_READ,
} from '../../reports/series/fold-series.ts'
import { readPoint } from '../../reports/series/point.ts'
import { listSeriesFiles } from '../k6/instances.ts'
import { followLines } from '../progress/show-progress.ts'
import { computeJudgedWindow, cutWindow, type JudgedWindow, readLoadStart } from './judge-trial.ts'
import type { Generator, LoadParts, OfferedRun, OfferOptions } from './run-load.ts'
import { measureMemory, watchTarget } from './scrape-target.ts'

export type TrialPart = Pick<
  TrialFacts,
  'phase' | 'axis' | 'rate' | 'rateFrom' | 'warmUpSeconds' | 'seconds' | 'recoverWithinSeconds'
>

export type TrialOptions = OfferOptions & {
  /** Number of the first part; the others follow. */
  trial: number
  judged: readonly TrialPart[]
  requestsPerIteration: number
  requestsLeft: number | null
  secondsLeft: number
  /** Abort the load when it can no longer meet the objectives. */
  endsHopeless: boolean
}

export type TrialRun = {
  facts: TrialFacts[]
  run: OfferedRun
  targetProblem: string | null
}

/**
 * Offers one load and watches it; each part gets its own facts. Ends early if the objectives cannot be met, the budget
 * is used up, or the signal aborts.
 */
export async function runTrial(
  parts: LoadParts & { generator: Generator; plan: { slo: Slo }; ca: string | null },
  options: TrialOptions,
): Promise<TrialRun> {
  const { trial, load, signal } = options
  const { generator } = parts
  const early = endEarly(parts.plan.slo, options)
  const target = watchTarget({ profile: parts.worlds.profile, ca: parts.ca })
  try {
    const run = await generator.offer(parts, {
      ...options,
      signal: AbortSignal.any([signal, early.signal]),
    })
    const ended = howEnded(run, { end: early.end(), isInterrupted: signal.aborted })
    const startMs = await readLoadStart(run.seriesFiles)
    const windows = judgedWindows(options.judged, startMs)
    const facts: TrialFacts[] = []
    for (const [index, part] of options.judged.entries()) {
      const planned = windows[index]
      const window =
        planned === undefined || run.measuredToMs === null ? null : cutWindow(planned, run.measuredToMs)
      const { from, to } = window ?? NO_WINDOW
      const memory = measureMemory({ watch: target, startMs, endsMs: to * 1000, offered: load.sockets })
      facts.push({
        ...part,
        // This part was complete before the others ended.
        ...(window !== null && window.to === planned?.to && options.judged.length > 1 ? WHOLE : ended),
        trial: trial + index,
        judgedFrom: window?.from ?? null,
        judgedTo: window?.to ?? null,
        instances: load.instances,
        vusMax: load.vusMax,
        ...(await generator.readHealth(run.seriesFiles, { from, to })),
        target: target.health({ fromMs: from * 1000, toMs: to * 1000 }),
        ...(memory !== undefined && { memory }),
      })
    }
    return { facts, run, targetProblem: target.problem() }
  } finally {
    early.stop()
    target.stop()
  }
}

const NO_WINDOW = { from: 0, to: 0 }
const WHOLE = { ended: 'completed', reason: null } as const

function endEarly(slo: Slo, options: TrialOptions) {
  const { judged, load, folder } = options
  const [first] = judged
  const aborting = new AbortController()
  let end: EndEarly | undefined
  const endBy = (why: EndEarly) => {
    end ??= why
    aborting.abort()
  }
  const watch = watchTrial(
    {
      ...options,
      files: listSeriesFiles(folder, load.instances),
      slo,
      rate: Math.max(...judged.map(({ rate }) => rate)),
      warmUpSeconds: first?.warmUpSeconds ?? 0,
      seconds: first?.seconds ?? 0,
      vusMax: load.vusMax,
      endsHopeless: options.endsHopeless && judged.length === 1,
    },
    endBy,
  )
  const outOfTime: EndEarly = { ended: 'budget', reason: 'the time budget of the search was used up' }
  const timer = setTimeout(endBy, Math.max(0, options.secondsLeft * 1000), outOfTime)
  return {
    signal: aborting.signal,
    end: () => end,
    stop() {
      watch.stop()
      clearTimeout(timer)
    },
  }
}

function judgedWindows(judged: readonly TrialPart[], startMs: number | null): JudgedWindow[] {
  if (startMs === null) return []
  let before = 0
  return judged.map(({ warmUpSeconds, seconds }) => {
    const window = computeJudgedWindow({ startMs, warmUpSeconds, seconds, secondsBefore: before })
    before += warmUpSeconds + seconds
    return window
  })
}

function howEnded(
  run: OfferedRun,
  { end, isInterrupted }: { end: EndEarly | undefined; isInterrupted: boolean },
): Pick<TrialFacts, 'ended' | 'reason'> {
  if (isInterrupted) return { ended: 'interrupted', reason: 'it was interrupted' }
  if (end !== undefined) return end
  return run.problem === null ? WHOLE : { ended: 'crashed', reason: run.problem }
}

const LOOK_MS = 500
/** k6 writes a second 250 ms after it ends, and the watch polls once per second. */
const SETTLED_MS = 2500
/** Later seconds of a runner may still be on their way, and its clock may differ. */
const SECOND = /^\{"time":([0-9]+),/

export type EndEarly = { ended: 'aborted' | 'budget'; reason: string }

export type WatchedTrial = {
  files: readonly string[]
  slo: Slo
  rate: number
  warmUpSeconds: number
  seconds: number
  vusMax: number
  requestsPerIteration: number
  requestsLeft: number | null
  /** Abort when the objectives can no longer be met. */
  endsHopeless: boolean
}

/**
 * Follows the growing series, and reports once why the trial should end early: an objective cannot be met any more, or
 * the request budget is used up.
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

type Watch = {
  look(nowMs: number): Promise<EndEarly | undefined>
}

export function createWatch(trial: WatchedTrial): Watch {
  const whole = createFoldedSeries()
  const begun = new Set<string>()
  const newest = new Map(trial.files.map((file) => [file, 0]))
  let waiting: SeriesPoint[] = []
  let judged: { series: FoldedSeries; window: JudgedWindow } | undefined
  let requests = 0
  const take = (file: string, text: string) => {
    newest.set(file, Math.max(newest.get(file) ?? 0, Number(SECOND.exec(text)?.[1] ?? 0)))
    const read = readPoint({ text, number: 0, terminated: true }, file, (metric) => METRICS_READ.has(metric))
    if (read.kind !== 'point') return
    const { point } = read
    if (point.metric === SINCE_DUE) requests += point.count
    if (judged !== undefined) return foldPoint(judged.series, point)
    foldPoint(whole, point)
    waiting.push(point)
    if (point.metric === LOAD_START) begun.add(file)
  }
  const followers = trial.files.map((file) => followLines(file, (line) => take(file, line)))
  const begin = (startMs: number) => {
    const window = computeJudgedWindow({ ...trial, startMs })
    const series = createFoldedSeries({ slo: trial.slo, slice: { trial: null, ...window } })
    for (const point of waiting) foldPoint(series, point)
    waiting = []
    judged = { series, window }
  }
  return {
    async look(nowMs) {
      for (const follower of followers) await follower.look()
      if (trial.requestsLeft !== null && requests >= trial.requestsLeft) {
        return { ended: 'budget', reason: 'the request budget of the search was used up' }
      }
      if (judged === undefined && begun.size === followers.length) begin(whole.loadStartMs ?? nowMs)
      if (!trial.endsHopeless || judged === undefined) return undefined
      const settledTo = Math.min(Math.floor((nowMs - SETTLED_MS) / 1000), ...newest.values())
      return whyHopeless({ ...judged, trial, settledTo })
    },
  }
}

function whyHopeless(options: {
  series: FoldedSeries
  window: JudgedWindow
  trial: WatchedTrial
  settledTo: number
}): EndEarly | undefined {
  const { series, window, trial, settledTo } = options
  const secondsLeft = Math.max(0, window.to - Math.max(window.from, settledTo))
  // Future arrivals plus requests in flight.
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
    : { ended: 'aborted', reason: `${objectiveText(objective)}: can no longer be met` }
}
