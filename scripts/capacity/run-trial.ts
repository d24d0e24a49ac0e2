import { readFile } from 'node:fs/promises'
import type { GeneratorHealth, TargetHealth, TrialFacts } from '../../contract/capacity.ts'
import type { OfferedLoad } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import type { InstancesRun } from '../k6/instances.ts'
import { type LoadParts, runLoad } from '../load/run-load.ts'
import { cutWindow, judgedWindow } from './judged-window.ts'
import { type EndEarly, watchTrial } from './watch-trial.ts'

/** A part of a load that is judged by itself. */
export type TrialPart = Pick<TrialFacts, 'phase' | 'rate' | 'rateFrom' | 'warmUpSeconds' | 'seconds'>

export type TrialRun = { facts: TrialFacts[]; run: InstancesRun; startMs: number | null }

/**
 * Offers one load and watches it: its parts, one after another, each with facts of its own. Ended early where nothing is to be
 * hoped for, where the budget is used up, or by the signal.
 */
export async function runTrial(
  parts: LoadParts & { slo: Slo },
  options: {
    /** Of the first part; the others have the next numbers. */
    trial: number
    judged: readonly TrialPart[]
    load: OfferedLoad
    folder: string
    requestsPerIteration: number
    requestsLeft: number | null
    endsHopeless: boolean
    signal: AbortSignal
  },
): Promise<TrialRun> {
  const { trial, judged, load, folder, signal } = options
  const early = new AbortController()
  let end: EndEarly | undefined
  const files = Array.from({ length: load.instances }, (_, at) => `${folder}/series-${at + 1}.ndjson`)
  const last = judged.at(-1)
  const watch = watchTrial(
    {
      ...options,
      files,
      slo: parts.slo,
      rate: Math.max(...judged.map(({ rate }) => rate)),
      warmUpSeconds: last?.warmUpSeconds ?? 0,
      seconds: last?.seconds ?? 0,
      vusMax: load.vusMax,
      endsHopeless: options.endsHopeless && judged.length === 1,
    },
    (why) => {
      end = why
      early.abort()
    },
  )
  try {
    const run = await runLoad(parts, {
      load,
      trial,
      folder,
      signal: AbortSignal.any([signal, early.signal]),
    })
    const startMs = await loadStart(run.seriesFiles)
    const ended = howEnded(run, { end, isInterrupted: signal.aborted })
    const shared = { ...ended, instances: load.instances, vusMax: load.vusMax }
    let before = 0
    const facts = judged.map((part, index): TrialFacts => {
      const { warmUpSeconds, seconds } = part
      const planned =
        startMs === null
          ? null
          : judgedWindow({ startMs, warmUpSeconds: before + warmUpSeconds, seconds })
      before += warmUpSeconds + seconds
      const window = planned && cutWindow(planned, run.finishedAtMs)
      return {
        ...part,
        ...shared,
        trial: trial + index,
        judgedFrom: window?.from ?? null,
        judgedTo: window?.to ?? null,
        generator: UNKNOWN,
        target: null,
      }
    })
    return { facts, run, startMs }
  } finally {
    watch.stop()
  }
}

function howEnded(
  run: InstancesRun,
  { end, isInterrupted }: { end: EndEarly | undefined; isInterrupted: boolean },
): Pick<TrialFacts, 'ended' | 'reason'> {
  if (isInterrupted) return { ended: 'interrupted', reason: 'it was interrupted' }
  if (end !== undefined) return end
  if (run.exitCode === 0) return { ended: 'whole', reason: null }
  return { ended: 'broken', reason: `k6 ${run.reason === 'deadline' ? 'did not end' : run.meaning}` }
}
