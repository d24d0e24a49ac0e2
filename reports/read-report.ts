import path from 'node:path'
import { type HistoryViolation, historiesSchema } from '../contract/history.ts'
import type { Rule } from '../contract/rule.ts'
import { HISTORY_RULES } from '../contract/rules/history.ts'
import { RULES } from '../contract/rules.ts'
import { RUN_FILES, type Run } from '../contract/run.ts'
import type { Slo } from '../contract/slo.ts'
import { buildReport } from './build-report.ts'
import { isTrialMissing, judgedSlice, NO_SLICE, readTrials, TRIAL_MISSING } from './capacity/trials.ts'
import { findEarlierRun } from './find-earlier-run.ts'
import type { RenderInput } from './html/render-html.ts'
import { capacitySlo } from './judge-slo.ts'
import { objectivesText } from './objective-text.ts'
import { readFindings } from './read-findings.ts'
import { readRun, readRunFile } from './run-file.ts'
import { readSeries } from './series/read-series.ts'
import { readTimeline } from './timeline.ts'
import { type GivenHistory, judgeRunTrend } from './trend/run-trend.ts'

/** Reads that take long; the live view of a run that is still going on replaces them. */
type LongReads = { readSeries: typeof readSeries; findEarlierRun: typeof findEarlierRun }

/**
 * Reads a run folder and judges it; writes nothing. `slo` replaces the run's own objectives. Throws a BreakwaterError
 * (usage) if it is not a run folder.
 */
export async function readReport(options: {
  dir: string
  slo?: Slo
  nowMs?: number
  reads?: LongReads
  /** Adds the trend of the run. */
  history?: GivenHistory | undefined
}): Promise<RenderInput & { repro: Run['repro'] }> {
  const { dir, history, reads = { readSeries, findEarlierRun } } = options
  const run = await readRun(dir)
  const searched = await readTrials(path.join(dir, RUN_FILES.trials))
  const isMissing = isTrialMissing(run, searched.trials)
  const isCapacity = run.search !== null || searched.found || isMissing
  const given = options.slo ?? run.slo
  const slo = isCapacity && given !== null ? capacitySlo(given, run.search?.axis) : given
  const [{ findings, notes }, read, timeline, histories] = await Promise.all([
    readFindings(path.join(dir, RUN_FILES.findings)),
    reads.readSeries(path.join(dir, RUN_FILES.series), {
      slo,
      slices: isMissing ? [NO_SLICE] : searched.trials.map(judgedSlice),
    }),
    readTimeline(path.join(dir, RUN_FILES.timeline)),
    readHistories(path.join(dir, RUN_FILES.histories)),
  ])
  const catalogue = [...RULES, ...HISTORY_RULES, ...customRules(run)]
  const judged = buildReport({
    run,
    findings,
    series: read.series,
    seriesComplete: read.complete,
    seriesDamaged: read.damaged,
    trials: searched.trials,
    slices: read.slices,
    catalogue,
    dir,
    earlier: await reads.findEarlierRun(dir, run),
    notes: [
      ...read.notes,
      ...searched.notes,
      ...(isMissing ? [TRIAL_MISSING] : []),
      ...histories.notes,
      ...(isCapacity && run.rules.length === 0 ? [] : notes),
    ],
  })
  const of = {
    dir,
    run,
    capacity: judged.capacity?.rate ?? null,
    objectives: judged.slo === null ? null : objectivesText(judged.slo.objectives),
  }
  const report = history === undefined ? judged : { ...judged, trend: await judgeRunTrend(of, history) }
  return {
    report,
    course: read.course,
    trials: searched.trials,
    catalogue,
    nowMs: options.nowMs ?? Date.now(),
    timeline,
    violations: histories.violations,
    repro: run.repro,
  }
}

/** The rules of a custom scenario, which are not in the catalogue. */
function customRules(run: Run): Rule[] {
  return Object.entries(run.customRules).map(([id, expected]) => ({
    id,
    group: 'own',
    section: 'own scenario',
    statement: expected,
    expected,
    kind: 'server',
    how: '',
    takes: 'moments',
  }))
}

/** A few violations per rule, each with the shortest history that shows it. */
const BYTES_MAX = 16 << 20

/** Reads histories.json of a run folder: the violations that the operation log shows. */
async function readHistories(file: string): Promise<{ violations: HistoryViolation[]; notes: string[] }> {
  try {
    const text = await readRunFile(file, { bytesMax: BYTES_MAX })
    return { violations: historiesSchema.parse(JSON.parse(text)).violations, notes: [] }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { violations: [], notes: [] } // as: of node:fs
    return {
      violations: [],
      notes: ['histories.json cannot be read: violations are listed without their histories.'],
    }
  }
}
