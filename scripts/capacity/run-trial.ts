import type { TrialFacts } from '../../contract/capacity.ts'
import type { OfferedLoad } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { type InstancesRun, seriesFilesOf } from '../k6/instances.ts'
import { type LoadParts, runLoad } from '../load/run-load.ts'
import { loadStartOf } from './fold-trial.ts'
import { cutWindow, type JudgedWindow, judgedWindow } from './judged-window.ts'
import { watchTarget } from './scrape-target.ts'
import { watchGenerator } from './watch-generator.ts'
import { type EndEarly, watchTrial } from './watch-trial.ts'

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
  const pids: number[] = []
  const generator = watchGenerator({ pids: () => pids, env: parts.env })
  const target = watchTarget({ profile: parts.worlds.profile, ca: parts.ca })
  try {
    const run = await runLoad(parts, {
      load,
      trial,
      folder,
      findingsFile,
      signal: AbortSignal.any([signal, early.signal]),
      onStart: (pid) => pids.push(pid),
    })
    const ended = howEnded(run, { end: early.end(), isInterrupted: signal.aborted })
    const windows = windowsOf(options.judged, await loadStartOf(run.seriesFiles))
    const facts = options.judged.map((part, index): TrialFacts => {
      const planned = windows[index]
      const window = planned === undefined ? null : cutWindow(planned, run.finishedAtMs)
      const ms = { fromMs: (window?.from ?? 0) * 1000, toMs: (window?.to ?? 0) * 1000 }
      return {
        ...part,
        // What came to its end before the others did.
        ...(window !== null && window.to === planned?.to && options.judged.length > 1 ? WHOLE : ended),
        trial: trial + index,
        judgedFrom: window?.from ?? null,
        judgedTo: window?.to ?? null,
        instances: load.instances,
        vusMax: load.vusMax,
        generator: generator.health(ms),
        target: target.health(ms),
      }
    })
    return { facts, run, targetProblem: target.problem() }
  } finally {
    early.stop()
    generator.stop()
    target.stop()
  }
}

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
