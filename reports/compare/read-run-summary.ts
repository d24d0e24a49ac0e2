import path from 'node:path'
import { z } from 'zod'
import {
  capacitySchema,
  type TrialFacts,
  type TrialOutcome,
  trialResultSchema,
} from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import { isTrialMissing, readTrials, TRIAL_MISSING } from '../capacity/trials.ts'
import { objectivesText } from '../objective-text.ts'
import { readRun, readRunFile } from '../run-file.ts'
import { readPoints } from '../series/read-series.ts'
import { createRunSpans, foldIntoSpans, METRICS_NEEDED, type RunSpans } from './run-spans.ts'

/** Unix seconds; `to` is exclusive. */
type Window = { from: number; to: number }

type JudgedPart = {
  see(point: SeriesPoint, jumpedSeconds: number): void
  /** Call at the end of the file. Returns the number of judged seconds: all planned ones if the run is complete. */
  end(complete: boolean): number
}

/**
 * The judged part of a held load is that of its only trial. Without a trial it starts when the load started according
 * to k6, or else with the first measured second. A run without a held load is judged as a whole. Clock jumps of the
 * load generator are removed.
 */
export function createJudgedPart(options: {
  load: Run['load']
  trials: readonly Pick<TrialFacts, 'judgedFrom' | 'judgedTo'>[]
  /** `second` counts from the start of the judged part. */
  use: (point: SeriesPoint, second: number) => void
}): JudgedPart {
  const { load, use } = options
  let window = notedWindow(options.trials)
  let waiting: { point: SeriesPoint; time: number }[] = []
  let lastSecond = -1

  const take = (point: SeriesPoint, time: number, { from, to }: Window) => {
    // Clock corrections below the jump threshold must not lose points of a run that is judged as a whole.
    const second = load === null ? Math.max(0, time - from) : time - from
    if (second < 0 || time >= to) return
    lastSecond = Math.max(lastSecond, second)
    use(point, second)
  }
  const settle = () => {
    const found = findWindow(load, waiting)
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

/** All k6 processes report the start of their load within this time. */
const START_SECONDS = 5

function notedWindow([trial, ...others]: readonly Pick<TrialFacts, 'judgedFrom' | 'judgedTo'>[]):
  | Window
  | undefined {
  if (trial === undefined || others.length > 0) return undefined
  const { judgedFrom: from, judgedTo: to } = trial
  return from === null || to === null ? undefined : { from, to }
}

function findWindow(load: Run['load'], first: readonly { point: SeriesPoint; time: number }[]): Window {
  const firstSecond = first.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY)
  if (load === null || first.length === 0) return { from: firstSecond, to: Number.POSITIVE_INFINITY }
  const starts = first.flatMap(({ point }) => (point.metric === LOAD_START ? [(point.max ?? 0) / 1000] : []))
  const from = Math.ceil(Math.max(firstSecond, ...starts) + load.warmUpSeconds)
  return { from, to: from + Math.floor(load.seconds) }
}

const ENDS: Readonly<Record<Exclude<Run['state'], 'finished'>, string>> = {
  running: 'was killed',
  interrupted: 'was interrupted',
  failed: 'failed',
}

/** Notes on a run that was cut short or whose load generator saturated. */
export function runRemarks(options: {
  run: Pick<Run, 'state' | 'load'>
  seconds: number
  /** From the report, if it exists; a held load has one trial. */
  trials: readonly { outcome: TrialOutcome; reason: string }[]
}): string[] {
  const { run, seconds, trials } = options
  const planned = run.load === null ? '' : `: ${seconds} of ${run.load.seconds} s judged`
  const saturated =
    run.load === null ? undefined : trials.find(({ outcome }) => outcome === 'generator-limited')
  return [
    ...(run.state === 'finished' ? [] : [`It ${ENDS[run.state]}${planned}.`]),
    ...(saturated === undefined
      ? []
      : [`The load generator saturated, not the target: ${saturated.reason}.`]),
  ]
}

/** The data of a run that a comparison needs; its size does not depend on the length of the run. */
export type RunSummary = RunSpans & {
  dir: string
  run: Run
  /** Without the warm-up. */
  seconds: number
  /** Result of a capacity search; null if it found none, or the run was not a search. */
  capacity: number | null
  /** The objectives of that search; null if unknown, or the run was not a search. */
  objectives: string | null
  /** False if a part of what k6 measured is missing. */
  isWhole: boolean
  notes: string[]
}

/** Reads a run folder for a comparison. Throws a BreakwaterError (usage) if it is not a run folder. */
export async function readRunSummary(dir: string): Promise<RunSummary> {
  const run = await readRun(dir)
  const report = await readReport(dir)
  const trials = report?.capacity?.trials ?? []
  if (run.search !== null) {
    const { notes, ...found } = searchSummary(report)
    return { ...found, dir, run, notes: [...notes, ...runRemarks({ run, seconds: 0, trials })] }
  }
  const { spans, seconds, isWhole, notes } = await readSpans(dir, run)
  const remarks = runRemarks({ run, seconds, trials })
  const none = { capacity: null, objectives: null }
  return { ...spans, ...none, dir, run, seconds, isWhole, notes: [...notes, ...remarks] }
}

async function readSpans(dir: string, run: Run) {
  const { load } = run
  const { trials, notes: trialNotes } = await readTrials(path.join(dir, RUN_FILES.trials))
  const spans = createRunSpans()
  const judged = createJudgedPart({
    load,
    trials,
    use: (point, second) => foldIntoSpans(spans, point, second),
  })
  const { complete, damaged, notes } = await readPoints(path.join(dir, RUN_FILES.series), {
    isNeeded: (metric) => METRICS_NEEDED.has(metric) || metric === LOAD_START,
    onPoint: judged.see,
  })
  const missing = isTrialMissing(run, trials) ? [TRIAL_MISSING] : []
  return {
    spans,
    seconds: judged.end(complete),
    isWhole: complete && !damaged && missing.length === 0,
    notes: [...notes, ...trialNotes, ...missing],
  }
}

/** Its trials have different rates, so only the result can be compared. */
function searchSummary(report: ReadReport | undefined) {
  const isKnown = report?.capacity !== undefined && report.capacity !== null
  return {
    ...createRunSpans(),
    seconds: 0,
    capacity: report?.capacity?.rate ?? null,
    objectives: report?.slo ? objectivesText(report.slo.objectives) : null,
    isWhole: true,
    notes: isKnown ? [] : ['report.json has no result of the search: run "breakwater report" to create it.'],
  }
}

/** The parts of report.json that a comparison needs. It may use other objectives than the run. */
const readReportSchema = z.object({
  capacity: z
    .object({
      ...capacitySchema.pick({ rate: true }).shape,
      trials: z.array(trialResultSchema.pick({ outcome: true, reason: true })).default([]),
    })
    .nullish(),
  slo: reportSchema.shape.slo.nullish(),
})

type ReadReport = z.infer<typeof readReportSchema>

async function readReport(dir: string): Promise<ReadReport | undefined> {
  try {
    const text = await readRunFile(path.join(dir, RUN_FILES.reportJson))
    return readReportSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
