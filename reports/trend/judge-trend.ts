/** Judges the runs of a history: groups what can be compared, and says at which release each group changed. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RunRecord } from '../../contract/run-record.ts'
import type { Trend, TrendChange, TrendGroup, TrendPoint } from '../../contract/trend.ts'
import { type Histogram, mergeInto } from '../statistics/histogram.ts'
import { computeQuantiles, samplesNeeded, supportedQuantile } from '../statistics/quantiles.ts'
import { type Distances, findChangePoints } from './change-points.ts'
import { unpackHistogram } from './pack-histogram.ts'

export type TrendOptions = {
  seed: number
  alpha: number
  /** Smaller changes are not reported: 0.03 is 3 %. */
  minEffect: number
  /** Only this many of the newest runs of each group are judged. */
  runsMax: number
}

export const TREND_DEFAULTS: TrendOptions = { seed: 1, alpha: 0.01, minEffect: 0.03, runsMax: 400 }

/** Runs on each side of a confirmed change. */
const CONFIRMING_RUNS = 3
const PERMUTATIONS = 499

/** With fewer runs, no order is rare enough: two of the C(n, n/2) ways to halve n runs look as changed as a step in their middle. */
function countRunsNeeded(alpha: number): number {
  let [runs, ways] = [0, 1]
  while (runs < 2 * CONFIRMING_RUNS || 2 / ways > alpha) {
    runs++
    ways *= runs / Math.ceil(runs / 2)
  }
  return runs
}

/** In order of group and time, whatever the order of the records. */
export function judgeTrends(records: readonly RunRecord[], options: TrendOptions): Trend[] {
  const groups = new Map<string, RunRecord[]>()
  for (const record of records) {
    const key = groupKey(record)
    const members = groups.get(key)
    if (members === undefined) groups.set(key, [record])
    else members.push(record)
  }
  return [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, members]) => judgeGroup(members, options))
}

/** The same for runs that can be compared. */
export function groupKey(record: RunRecord): string {
  return JSON.stringify(groupOf(record))
}

export function groupOf({
  job,
  target,
  mix,
  arrivals,
  axis,
  objectives,
  rate,
  seed,
  world,
  choices,
  machine,
  versions,
}: RunRecord): TrendGroup {
  const { breakwater, k6 } = versions
  return {
    job,
    target,
    mix,
    arrivals,
    axis,
    objectives,
    rate,
    seed,
    world,
    choices,
    machine,
    versions: `breakwater ${breakwater}, k6 ${k6}`,
  }
}

function judgeGroup(members: RunRecord[], options: TrendOptions): Trend {
  const inOrder = members.sort(
    (one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt) || (one.id < other.id ? -1 : 1),
  )
  const judged = inOrder.slice(-options.runsMax)
  const [first] = judged
  if (first === undefined) throw new Error('a group has at least one run')
  const points = judged.map(toPoint)
  const trend = { group: groupOf(first), points, changes: [] }
  const needed = countRunsNeeded(options.alpha)
  if (judged.length < needed)
    return { ...trend, note: `${judged.length} of ${needed} runs that a trend needs` }
  const features = computeFeatures(judged)
  if (features.some((row) => row.length === 0)) return { ...trend, note: 'a run has no measured request' }
  const random = createUniform(options.seed)
  const found = findChangePoints(computeDistances(features), {
    random,
    alpha: options.alpha,
    permutations: PERMUTATIONS,
    confirmingRuns: CONFIRMING_RUNS,
  })
  const bounds = [0, ...found.map(({ at }) => at), judged.length]
  const changes = found
    .map((point, index): TrendChange => {
      const shifts = compareSides(
        judged.slice(bounds[index] ?? 0, point.at),
        judged.slice(point.at, bounds[index + 2]),
      )
      return { ...point, shifts, direction: judgeDirection(shifts) }
    })
    .map((change) => ({
      ...change,
      shifts: change.shifts.filter((shift) => isLarge(shift, options.minEffect)),
    }))
    .filter(({ shifts }) => shifts.length > 0)
    .map((change) => ({ ...change, direction: judgeDirection(change.shifts) }))
  return { ...trend, changes, note: null }
}

/** Percentage points of failures. */
const FAILED_MIN = 0.005

function isLarge({ figure, change }: TrendChange['shifts'][number], minEffect: number): boolean {
  return Math.abs(change) >= (figure === 'failed' ? FAILED_MIN : minEffect)
}

function createUniform(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  return () => (generator.next() >>> 0) / 2 ** 32
}

export function toPoint(record: RunRecord): TrendPoint {
  const { id, startedAt, release, commit, capacity, failed } = record
  const latency = unpackHistogram(record.latency)
  const values = computeQuantiles(latency, POINT_QUANTILES) ?? []
  const [p50 = null, p95 = null, p99 = null] = POINT_QUANTILES.map((quantile, at) =>
    latency.count < samplesNeeded(quantile) ? null : values[at],
  )
  return {
    id,
    startedAt,
    release,
    commit,
    p50,
    p95,
    p99,
    failedShare: latency.count === 0 ? 0 : failed / latency.count,
    capacity,
  }
}

const POINT_QUANTILES = [0.5, 0.95, 0.99]

/** The percentiles of all samples of a side together, which are steadier than those of its runs; of too few samples, none. */
function compareSides(before: readonly RunRecord[], after: readonly RunRecord[]): TrendChange['shifts'] {
  const sides = [before, after].map((records) => ({
    latency: mergeAll(records),
    failed: records.reduce((sum, { failed }) => sum + failed, 0),
    capacity: median(records.flatMap(({ capacity }) => capacity ?? [])),
  }))
  const [one, other] = sides
  if (one === undefined || other === undefined) return []
  const figures: [string, Figure, Figure][] = [
    ['capacity', one.capacity, other.capacity],
    ...SHOWN.map(([figure, quantile]): [string, Figure, Figure] => [
      figure,
      supportedQuantile(one.latency, quantile),
      supportedQuantile(other.latency, quantile),
    ]),
    ['failed', one.failed / one.latency.count, other.failed / other.latency.count],
  ]
  return figures.flatMap(([figure, from, to]) => {
    if (!isNumber(from) || !isNumber(to) || from === to) return []
    // A share of failures changes in percentage points, because it often starts at zero.
    const change = figure === 'failed' ? to - from : to / from - 1
    return Number.isFinite(change) ? [{ figure, before: from, after: to, change }] : []
  })
}

/** Infinite latencies are a text. */
type Figure = ReturnType<typeof supportedQuantile> | undefined

function isNumber(figure: Figure): figure is number {
  return typeof figure === 'number' && Number.isFinite(figure)
}

const SHOWN = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

function mergeAll(records: readonly RunRecord[]): Histogram {
  const [first, ...rest] = records.map(({ latency }) => unpackHistogram(latency))
  if (first === undefined) throw new Error('a side has at least one run')
  for (const histogram of rest) mergeInto(first, histogram)
  return first
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}

function judgeDirection(shifts: TrendChange['shifts']): TrendChange['direction'] {
  const worse = shifts.filter(({ figure, change }) => (figure === 'capacity' ? change < 0 : change > 0))
  if (worse.length === shifts.length) return 'worse'
  return worse.length === 0 ? 'better' : 'mixed'
}

/** Evenly spaced by odds, so that a change of the tail alone counts as much as one of the middle. */
const QUANTILES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999]

/** Differences below half a percent are never noise worth scaling by. */
const NOISE_MIN = 0.005

/**
 * One row of numbers per run, on scales where equal differences matter equally: logarithms of percentiles, the share of
 * failures by odds, and the logarithm of a capacity. Percentiles that some run has too few samples for are left out.
 */
function computeFeatures(records: readonly RunRecord[]): number[][] {
  const histograms = records.map(({ latency }) => unpackHistogram(latency))
  const smallest = Math.min(...histograms.map(({ count }) => count))
  const quantiles = QUANTILES.filter((quantile) => samplesNeeded(quantile) <= smallest)
  return records.map((record, run) => {
    const histogram = histograms[run]
    if (record.capacity !== null) return [Math.log(record.capacity)]
    if (histogram === undefined || histogram.count === 0) return []
    return [
      ...(computeQuantiles(histogram, quantiles) ?? []).map((ms) => Math.log(Math.max(ms, 0.001))),
      logOdds(record.failed, histogram.count),
    ]
  })
}

/** One half more of each keeps a run without failures finite. */
function logOdds(failed: number, count: number): number {
  return Math.log((failed + 0.5) / (count - failed + 0.5))
}

/**
 * Mean absolute difference of the features, each in units of its noise from run to run. The noise is estimated from
 * neighbors in time, so that a step in the series does not hide itself.
 */
function computeDistances(features: readonly (readonly number[])[]): Distances {
  const width = features[0]?.length ?? 0
  const noise = Array.from({ length: width }, (_, feature) =>
    estimateNoise(features.map((row) => row[feature] ?? 0)),
  )
  return features.map((row) =>
    Float64Array.from(features, (other) => {
      const sum = row.reduce(
        (total, value, at) => total + Math.abs(value - (other[at] ?? 0)) / (noise[at] ?? 1),
        0,
      )
      return width === 0 ? 0 : sum / width
    }),
  )
}

/** Median absolute difference of neighbors, as the standard deviation of one run. */
function estimateNoise(values: readonly number[]): number {
  const steps = values
    .slice(1)
    .map((value, at) => Math.abs(value - (values[at] ?? 0)))
    .sort((one, other) => one - other)
  return Math.max(NOISE_MIN, ((steps[Math.floor(steps.length / 2)] ?? 0) * 1.4826) / Math.SQRT2)
}
