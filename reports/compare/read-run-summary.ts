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
import { readTrials } from '../capacity/trials.ts'
import { objectivesText } from '../objective-text.ts'
import { readRun, readRunFile } from '../run-file.ts'
import { readPoints } from '../series/read-series.ts'
import { createRunSpans, foldIntoSpans, METRICS_NEEDED, type RunSpans } from './run-spans.ts'

/** Seconds from one Unix second up to, but not including, another. */
type Window = { from: number; to: number }

/** Takes a run's points as they are read, and hands on those of its judged part. */
type JudgedPart = {
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

/** How a run ended that did not end by itself. */
const ENDS: Readonly<Record<Exclude<Run['state'], 'finished'>, string>> = {
  running: 'was killed',
  interrupted: 'was interrupted',
  failed: 'broke off',
}

/** In sentences, what keeps a run from being what it was meant to be: it did not come to its end, or the target was not what it measured. */
export function runRemarks(options: {
  run: Pick<Run, 'state' | 'load'>
  /** Judged. */
  seconds: number
  /** As its report tells, if it does: of a held load that is the only one. */
  trials: readonly { outcome: TrialOutcome; because: string }[]
}): string[] {
  const { run, seconds, trials } = options
  const planned = run.load === null ? '' : `: ${seconds} of ${run.load.seconds} s were judged`
  const spoiled = run.load === null ? undefined : trials.find(({ outcome }) => outcome === 'generator')
  return [
    ...(run.state === 'finished' ? [] : [`It ${ENDS[run.state]}${planned}.`]),
    ...(spoiled === undefined ? [] : [`The load generator gave out, not the target: ${spoiled.because}.`]),
  ]
}

/** What a comparison needs of a run, of any length. */
export type RunSummary = RunSpans & {
  dir: string
  run: Run
  /** Judged: without the warm-up. */
  seconds: number
  /** Of a search for capacity: what it found; null where it found none, or was none. */
  capacity: number | null
  /** Which that was found by, for people; null: not told, or no search. */
  objectives: string | null
  /** Remarks on what could not be read, in sentences. */
  notes: string[]
}

/** Reads a run folder for a comparison. Throws a BreakwaterError (usage) where the folder is no run folder. */
export async function readRunSummary(dir: string): Promise<RunSummary> {
  const run = await readRun(dir)
  const report = await readReport(dir)
  const trials = report?.capacity?.trials ?? []
  if (run.search !== null) {
    const { notes, ...found } = searchSummary(report)
    return { ...found, dir, run, notes: [...notes, ...runRemarks({ run, seconds: 0, trials })] }
  }
  const { spans, seconds, notes } = await readSpans(dir, run)
  const remarks = runRemarks({ run, seconds, trials })
  return { ...spans, dir, run, seconds, capacity: null, objectives: null, notes: [...notes, ...remarks] }
}

async function readSpans(dir: string, { load }: Run) {
  const { trials } = await readTrials(path.join(dir, RUN_FILES.trials))
  const spans = createRunSpans()
  const judged = createJudgedPart({
    load,
    trials,
    use: (point, second) => foldIntoSpans(spans, point, second),
  })
  const { complete, notes } = await readPoints(path.join(dir, RUN_FILES.series), {
    isNeeded: (metric) => METRICS_NEEDED.has(metric) || metric === LOAD_START,
    onPoint: judged.see,
  })
  return { spans, seconds: judged.end(complete), notes }
}

/** Latencies of its trials belong to many rates: only what it found can be compared. */
function searchSummary(report: ReadReport | undefined) {
  const isTold = report?.capacity !== undefined && report.capacity !== null
  return {
    ...createRunSpans(),
    seconds: 0,
    capacity: report?.capacity?.rate ?? null,
    objectives: report?.slo ? objectivesText(report.slo.objectives) : null,
    notes: isTold ? [] : ['report.json does not tell what the search found: render it with "report".'],
  }
}

/** What a comparison needs of report.json. It may have been written by other objectives than the run was made with. */
const readReportSchema = z.object({
  capacity: z
    .object({
      ...capacitySchema.pick({ rate: true }).shape,
      trials: z.array(trialResultSchema.pick({ outcome: true, because: true })).default([]),
    })
    .nullish(),
  slo: reportSchema.shape.slo.nullish(),
})

type ReadReport = z.infer<typeof readReportSchema>

/** Undefined: there is none, or it is damaged. */
async function readReport(dir: string): Promise<ReadReport | undefined> {
  try {
    const text = await readRunFile(path.join(dir, RUN_FILES.reportJson))
    return readReportSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
