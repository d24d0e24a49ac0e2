import { availableParallelism } from 'node:os'
import type { TrialFacts } from '../../contract/capacity.ts'
import { LOAD_START, type OfferedLoad } from '../../contract/scenario-config.ts'
import type { SeriesPoint } from '../../contract/series.ts'
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
import { type InstancesRun, seriesFilesOf } from '../k6/instances.ts'
import { followLines } from '../progress/show-progress.ts'
import { readGeneratorHealth } from './generator-health.ts'
import { cutWindow, type JudgedWindow, judgedWindow, loadStartOf } from './judge-trial.ts'
import { type LoadParts, runLoad } from './run-load.ts'
import { watchTarget } from './scrape-target.ts'

/** A part of a load that is judged by itself. */
export type TrialPart = Pick<TrialFacts, 'phase' | 'rate' | 'rateFrom' | 'warmUpSeconds' | 'seconds'>

export type TrialOptions = {
  /** Of the first part; the others have the numbers after it. */
  trial: number
  judged: readonly TrialPart[]
  load: OfferedLoad
  /** Which k6 writes into. */
  folder: string
  /** What the script prints is added to it. */
  findingsFile: string
  /** The most of an iteration. */
  requestsPerIteration: number
  requestsLeft: number | null
  secondsLeft: number
  /** Whether a load that cannot meet the objectives is ended. */
  endsHopeless: boolean
  signal: AbortSignal
}

export type TrialRun = {
  facts: TrialFacts[]
  run: InstancesRun
  /** Why the target told nothing of itself, where it was to. */
  targetProblem: string | null
}

/**
 * Offers one load and watches it: its parts, one after another, each with facts of its own. Ended early where nothing is to be
 * hoped for, where the budget is used up, or by the signal.
 */
export async function runTrial(
  parts: LoadParts & { plan: { slo: Slo }; ca: string | null },
  options: TrialOptions,
): Promise<TrialRun> {
  const { trial, load, folder, findingsFile, signal } = options
  const early = endEarly(parts.plan.slo, options)
  const target = watchTarget({ profile: parts.worlds.profile, ca: parts.ca })
  try {
    const run = await runLoad(parts, {
      load,
      trial,
      folder,
      findingsFile,
      signal: AbortSignal.any([signal, early.signal]),
    })
    const ended = howEnded(run, { end: early.end(), isInterrupted: signal.aborted })
    const windows = windowsOf(options.judged, await loadStartOf(run.seriesFiles))
    const facts: TrialFacts[] = []
    for (const [index, part] of options.judged.entries()) {
      const planned = windows[index]
      const window = planned === undefined ? null : cutWindow(planned, run.finishedAtMs)
      const { from, to } = window ?? NO_WINDOW
      const generator = await readGeneratorHealth(run.seriesFiles, {
        from,
        to,
        cores: availableParallelism(),
      })
      facts.push({
        ...part,
        // A part that was complete before the others ended.
        ...(window !== null && window.to === planned?.to && options.judged.length > 1 ? WHOLE : ended),
        trial: trial + index,
        judgedFrom: window?.from ?? null,
        judgedTo: window?.to ?? null,
        instances: load.instances,
        vusMax: load.vusMax,
        // The target may share this machine's limit of cores.
        generator: { ...generator, throttledShare: null },
        target: target.health({ fromMs: from * 1000, toMs: to * 1000 }),
      })
    }
    return { facts, run, targetProblem: target.problem() }
  } finally {
    early.stop()
    target.stop()
  }
}

/** Nothing was judged. */
const NO_WINDOW = { from: 0, to: 0 }
const WHOLE = { ended: 'whole', reason: null } as const

/** The signal by which a trial is ended before its time, and why. */
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
      files: seriesFilesOf(folder, load.instances),
      slo,
      rate: Math.max(...judged.map(({ rate }) => rate)),
      warmUpSeconds: first?.warmUpSeconds ?? 0,
      seconds: first?.seconds ?? 0,
      vusMax: load.vusMax,
      endsHopeless: options.endsHopeless && judged.length === 1,
    },
    endBy,
  )
  const outOfTime: EndEarly = { ended: 'budget', reason: 'the time that the search may take was up' }
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

function windowsOf(judged: readonly TrialPart[], startMs: number | null): JudgedWindow[] {
  if (startMs === null) return []
  let before = 0
  return judged.map(({ warmUpSeconds, seconds }) => {
    const window = judgedWindow({ startMs, warmUpSeconds, seconds, secondsBefore: before })
    before += warmUpSeconds + seconds
    return window
  })
}

function howEnded(
  run: InstancesRun,
  { end, isInterrupted }: { end: EndEarly | undefined; isInterrupted: boolean },
): Pick<TrialFacts, 'ended' | 'reason'> {
  if (isInterrupted) return { ended: 'interrupted', reason: 'it was interrupted' }
  if (end !== undefined) return end
  if (run.exitCode === 0) return WHOLE
  return { ended: 'broken', reason: `k6 ${run.reason === 'deadline' ? 'did not end in time' : run.meaning}` }
}

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

type Watch = {
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
