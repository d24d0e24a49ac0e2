import path from 'node:path'
import { z } from 'zod'
import { capacitySchema, trialResultSchema } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { readTrials } from '../capacity/read-trials.ts'
import { objectivesText } from '../objective-text.ts'
import { readRun } from '../read-run.ts'
import { readRunFile } from '../run-file.ts'
import { readPoints } from '../series/read-points.ts'
import { createJudgedPart } from './judged-part.ts'
import { runRemarks } from './run-remarks.ts'
import { createRunSpans, foldIntoSpans, METRICS_NEEDED, type RunSpans } from './run-spans.ts'

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
