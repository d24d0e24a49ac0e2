import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { capacitySchema } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { readTrials } from '../capacity/read-trials.ts'
import { objectivesText } from '../objective-text.ts'
import { readRun } from '../read-run.ts'
import { readPoints } from '../series/read-points.ts'
import { createJudgedPart } from './judged-part.ts'
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
  if (run.search !== null) return { ...(await readSearch(dir)), dir, run }
  const { trials } = await readTrials(path.join(dir, RUN_FILES.trials))
  const spans = createRunSpans()
  const judged = createJudgedPart({
    load: run.load,
    trials,
    use: (point, second) => foldIntoSpans(spans, point, second),
  })
  const { complete, notes } = await readPoints(path.join(dir, RUN_FILES.series), {
    isNeeded: (metric) => METRICS_NEEDED.has(metric) || metric === LOAD_START,
    onPoint: judged.see,
  })
  const seconds = judged.end(complete)
  return { ...spans, dir, run, seconds, capacity: null, objectives: null, notes }
}

/** Latencies of its trials belong to many rates: only what it found can be compared. */
async function readSearch(dir: string) {
  const text = await readFile(path.join(dir, RUN_FILES.reportJson), 'utf8').catch(() => '{}')
  const { success, data } = searchSchema.safeParse(parse(text))
  const notes = success ? [] : ['report.json does not tell what the search found: render it with "report".']
  return {
    ...createRunSpans(),
    seconds: 0,
    capacity: data?.capacity.rate ?? null,
    objectives: data?.slo ? objectivesText(data.slo.objectives) : null,
    notes,
  }
}

/** A report may have been written by other objectives than the run was made with. */
const searchSchema = z.object({
  capacity: capacitySchema.pick({ rate: true }),
  slo: reportSchema.shape.slo.nullish(),
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
