/** Records a run for a run history, and judges it with the earlier runs of its group. */
import type { Run } from '../../contract/run.ts'
import type { RunRecord } from '../../contract/run-record.ts'
import type { RunTrend, Trend } from '../../contract/trend.ts'
import { type RunSummary, readRunSummary } from '../compare/read-run-summary.ts'
import { createHistogram, mergeInto } from '../statistics/histogram.ts'
import { groupOf, judgeTrends, TREND_DEFAULTS } from './judge-trend.ts'
import { packHistogram } from './pack-histogram.ts'
import { changeText } from './trend-text.ts'

export type Released = { release: string | null; commit: string | null }

/** `problem`: why a trend cannot use the run, and `hint` what it needs instead. */
export type Recorded = { record: RunRecord; problem: null } | { record: null; problem: string; hint: string }

export function recordRun(
  summary: Pick<RunSummary, 'run' | 'spans' | 'seconds' | 'capacity' | 'objectives' | 'isWhole'>,
  { release, commit }: Released,
): Recorded {
  const { run, seconds, capacity, objectives, isWhole } = summary
  if (run.state !== 'finished') {
    return {
      record: null,
      problem: `the run did not finish: ${run.state}`,
      hint: 'Only finished runs are comparable.',
    }
  }
  if (!isWhole) {
    return {
      record: null,
      problem: 'its series or its trials are damaged or incomplete',
      hint: 'The figures of a part of a run are not comparable. `breakwater report` shows what is left.',
    }
  }
  const { latency, failed } = sumRequests(summary)
  if (latency.count === 0 && capacity === null) {
    return {
      record: null,
      problem: 'the run has no measured request and no capacity',
      hint: 'A trend needs the requests of a load, or the result of a capacity search.',
    }
  }
  const { id, job, startedAt, target, mix, arrivals, search, load, seed, world, choices, machine, versions } =
    run
  const record: RunRecord = {
    record: 1,
    id,
    job,
    startedAt,
    target: target.name,
    release,
    commit,
    mix,
    arrivals,
    rate: load?.rate ?? null,
    seed,
    world,
    choices,
    machine,
    versions: { breakwater: versions.breakwater, k6: versions.k6 },
    seconds,
    failed,
    axis: search === null ? null : (search.axis ?? 'rate'),
    objectives,
    capacity,
    latency: packHistogram(latency),
  }
  return { record, problem: null }
}

function sumRequests({ spans }: Pick<RunSummary, 'spans'>) {
  const latency = createHistogram()
  let failed = 0
  for (const span of spans)
    for (const route of span?.routes.values() ?? []) {
      mergeInto(latency, route.latency)
      failed += route.failed
    }
  return { latency, failed }
}

export type GivenHistory = {
  /** The folder, as it was given. */
  shown: string
  records: readonly RunRecord[]
}

/**
 * The record of the run in the history counts, if it has one; otherwise the run is read. `capacity` and `objectives` are those of its
 * report, which may not be written yet. Later runs are left out, so that the report of a run stays the same.
 */
export async function judgeRunTrend(
  { dir, run, capacity, objectives }: { dir: string; run: Run } & Pick<RunSummary, 'capacity' | 'objectives'>,
  { shown, records }: GivenHistory,
): Promise<RunTrend> {
  const { id, startedAt, search } = run
  const own = records.find((record) => record.id === id)
  const { record, problem } =
    own === undefined
      ? recordRun(
          { ...(await readRunSummary(dir)), ...(search === null ? {} : { capacity, objectives }) },
          { release: null, commit: null },
        )
      : { record: own, problem: null }
  const withReason = (reason: string): RunTrend => ({ history: shown, reason, trend: null })
  if (record === null) return withReason(problem)
  const earlier = records.filter(
    (other) => other.id !== id && Date.parse(other.startedAt) <= Date.parse(startedAt),
  )
  const differences = earlier.map((other) => differingFacts(other, record))
  if (differences.every(({ length }) => length > 0)) return withReason(noneComparable(differences))
  const comparable = earlier.filter((_, index) => differences[index]?.length === 0)
  const [trend = null] = judgeTrends([...comparable, record], TREND_DEFAULTS)
  return { history: shown, reason: null, trend }
}

function differingFacts(one: RunRecord, other: RunRecord): string[] {
  const [first, second] = [groupOf(one), groupOf(other)].map((group) => Object.entries(group))
  return (first ?? []).flatMap(([name, value], at) => (second?.[at]?.[1] === value ? [] : [name]))
}

function noneComparable(differences: readonly string[][]): string {
  const [nearest] = differences.toSorted((one, other) => one.length - other.length)
  return nearest === undefined
    ? 'the history has no earlier run'
    : `none of ${differences.length} earlier runs is comparable; the nearest has another ${nearest.join(', ')}`
}

/** Untrusted: parts of it come from files of other people. */
export function runTrendSentence({ history, reason, trend }: RunTrend): string {
  if (trend === null) return `No trend in ${history}: ${reason ?? 'unknown'}.`
  return `Trend of ${trend.points.length} runs in ${history}: ${standing(trend)}.`
}

/** The last change, and how many came before it. */
function standing(trend: Trend): string {
  const { note, changes } = trend
  const last = changes.at(-1)
  if (note !== null) return `not judged: ${note}`
  if (last === undefined) return 'no change'
  const earlier = changes.length - 1
  const before = earlier === 0 ? '' : `; ${earlier} earlier ${earlier === 1 ? 'change' : 'changes'}`
  return `${changeText(trend, last)}${before}`
}
