import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { capacitySchema } from '../../contract/capacity.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { readTrials } from '../capacity/read-trials.ts'
import { readLines } from '../read-lines.ts'
import { readRun } from '../read-run.ts'
import { readPoints } from '../series/read-points.ts'
import { createRunSpans, foldIntoSpans, METRICS_NEEDED, type RunSpans } from './run-spans.ts'

/** What a comparison needs of a run, of any length. */
export type RunSummary = RunSpans & {
  dir: string
  run: Run
  /** Judged: without the warm-up. */
  seconds: number
  /** Of a search for capacity: what it found; null where it found none, or was none. */
  capacity: number | null
  /** Remarks on what could not be read, in sentences. */
  notes: string[]
}

/** Seconds from one Unix second up to, but not including, another. */
type JudgedWindow = { from: number; to: number }

/** Reads a run folder for a comparison. Throws a BreakwaterError (usage) where the folder is no run folder. */
export async function readRunSummary(dir: string): Promise<RunSummary> {
  const run = await readRun(dir)
  if (run.search !== null) return { ...(await readSearch(dir)), dir, run }
  const window = await judgedWindow(run, dir)
  const spans = createRunSpans()
  let lastSecond: number | undefined
  const { complete, notes } = await readPoints(path.join(dir, RUN_FILES.series), {
    isNeeded: (metric) => METRICS_NEEDED.has(metric),
    onPoint(point) {
      if (point.time < window.from || point.time >= window.to) return
      lastSecond = Math.max(lastSecond ?? point.time, point.time)
      foldIntoSpans(spans, point, window.from)
    },
  })
  const measured = lastSecond === undefined ? 0 : lastSecond - window.from + 1
  const seconds = complete && Number.isFinite(window.to) ? window.to - window.from : measured
  return { ...spans, dir, run, seconds, capacity: null, notes }
}

/** Latencies of its trials belong to many rates: only what it found can be compared. */
async function readSearch(dir: string) {
  const text = await readFile(path.join(dir, RUN_FILES.reportJson), 'utf8').catch(() => '{}')
  const { success, data } = z.object({ capacity: capacitySchema.pick({ rate: true }) }).safeParse(parse(text))
  const notes = success ? [] : ['report.json does not tell what the search found: render it with "report".']
  return { ...createRunSpans(), seconds: 0, capacity: data?.capacity.rate ?? null, notes }
}

/**
 * A held load notes its judged part as its one trial. Without that it begins where the load began, as k6 told, or else with
 * the first second that was measured. A run without a held load is judged as a whole.
 */
async function judgedWindow({ load }: Run, dir: string): Promise<JudgedWindow> {
  const { trials } = await readTrials(path.join(dir, RUN_FILES.trials))
  const [{ judgedFrom, judgedTo } = NEVER] = trials
  if (trials.length === 1 && judgedFrom !== null && judgedTo !== null) {
    return { from: judgedFrom, to: judgedTo }
  }
  const { firstSecond, loadStartMs } = await readStart(path.join(dir, RUN_FILES.series))
  if (load === null) return { from: firstSecond, to: Number.POSITIVE_INFINITY }
  const from = Math.ceil((loadStartMs ?? firstSecond * 1000) / 1000 + load.warmUpSeconds)
  return { from, to: from + Math.floor(load.seconds) }
}

const NEVER = { judgedFrom: null, judgedTo: null }

/** Within these each k6 process tells when its part of the load began. */
const START_SECONDS = 5

async function readStart(file: string): Promise<{ firstSecond: number; loadStartMs: number | undefined }> {
  let firstSecond: number | undefined
  let loadStartMs: number | undefined
  await readLines(file, ({ text }) => {
    const point = startPoint.safeParse(parse(text)).data
    if (point === undefined) return undefined
    firstSecond ??= point.time
    if (point.metric === LOAD_START) loadStartMs = Math.max(loadStartMs ?? 0, point.max ?? 0)
    return point.time > firstSecond + START_SECONDS ? 'stop' : undefined
  })
  return { firstSecond: firstSecond ?? 0, loadStartMs }
}

const startPoint = z.object({ time: z.int(), metric: z.string(), max: z.number().optional() })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
