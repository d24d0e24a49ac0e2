import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { ComparedMetric, Difference, SmallestEffects } from '../../contract/comparison.ts'
import { blockSeconds, blockVariance, resampleBlocks, type Weights } from '../statistics/compare-means.ts'
import { samplesNeeded, spanCounts, weightedQuantile } from '../statistics/quantiles.ts'
import type { RunSummary } from './read-run-summary.ts'

/**
 * A metric of one run on its comparison scale, with the variance from within the run, the number of blocks of seconds that have it,
 * and what a share is a share of; or why it is missing, as words after "a run ".
 */
export type Figure =
  | { value: number; variance: number; blocks: number; counts?: { failed: number; all: number } }
  | { lacking: string }

/** By `figureKey`. */
export type RunFigures = {
  figures: ReadonlyMap<string, Figure>
  routes: readonly string[]
  requests: number
}

export const WHOLE_RUN = '*'

export function figureKey(route: string, metric: ComparedMetric): string {
  return `${route}\n${metric}`
}

/** The same seed draws the same blocks. */
export function computeRunFigures(
  summary: RunSummary,
  options: { seed: number; resamples: number },
): RunFigures {
  const resampling = planResampling(summary, options)
  const figures = new Map<string, Figure>()
  let requests = 0
  const routes = listRoutes(summary)
  for (const route of routes) {
    const counted = routeFigures(summary, route, resampling)
    requests += counted.requests
    for (const [metric, figure] of counted.figures) figures.set(figureKey(route, metric), figure)
  }
  for (const [metric, figure] of wholeFigures(summary, resampling)) {
    figures.set(figureKey(WHOLE_RUN, metric), figure)
  }
  return { figures, routes, requests }
}

function listRoutes({ spans }: RunSummary): string[] {
  return [...new Set(spans.flatMap((span) => [...(span?.routes.keys() ?? [])]))].sort()
}

type Statistic = (weights: Weights) => number

type Resampling = {
  spans: number
  /** `samples` of the metric in each span. */
  measure: (metric: ComparedMetric, samples: Weights, statistic: Statistic) => Figure
}

function planResampling(
  { secondsEach, seconds }: RunSummary,
  options: { seed: number; resamples: number },
): Resampling {
  const spans = Math.max(1, Math.ceil(seconds / secondsEach))
  const blockLength = Math.min(spans, Math.max(1, Math.round(blockSeconds(seconds) / secondsEach)))
  const random = xoroshiro128plus(options.seed)
  const resampled = resampleBlocks({ spans, blockLength, resamples: options.resamples, random })
  const whole = new Float64Array(spans).fill(1)
  return {
    spans,
    measure(metric, samples, natural) {
      const statistic: Statistic = METRICS[metric].byRatio ? (weights) => Math.log(natural(weights)) : natural
      const value = statistic(whole)
      if (!Number.isFinite(value)) return { lacking: LACKING_RATIO }
      const variance = blockVariance({ statistic, resampled, spans, blockLength })
      return { value, variance, blocks: countBlocks(samples, blockLength) }
    },
  }
}

/** Non-overlapping blocks with samples; the last one also has the rest of the run. */
function countBlocks(samples: Weights, blockLength: number): number {
  const last = Math.floor(samples.length / blockLength) - 1
  const blocks = [...samples].map((count, span) =>
    count > 0 ? Math.min(Math.floor(span / blockLength), last) : undefined,
  )
  return new Set(blocks.filter((block) => block !== undefined)).size
}

const LACKING_RATIO = 'has the value 0, which has no ratio'

type Measured = [metric: ComparedMetric, figure: Figure][]

function routeFigures(
  summary: RunSummary,
  route: string,
  { spans, measure }: Resampling,
): { requests: number; figures: Measured } {
  const parts = Array.from({ length: spans }, (_, index) => summary.spans[index]?.routes.get(route))
  const counts = spanCounts(parts.map((part) => part?.latency))
  const answered = Float64Array.from(parts, (part) => part?.latency.count ?? 0)
  const requests = sumDefined(answered)
  const judged = Float64Array.from(parts, (part) => part?.judged ?? 0)
  const failed = Float64Array.from(parts, (part) => part?.failed ?? 0)
  const figures: Measured = QUANTILES.map(({ metric, quantile }) => [
    metric,
    requests < samplesNeeded(quantile)
      ? { lacking: `has fewer than ${samplesNeeded(quantile)} requests of it` }
      : measure(metric, answered, (weights) => weightedQuantile(counts, weights, quantile)),
  ])
  if (sumDefined(judged) > 0) {
    figures.push(['errorRate', measureShare(measure, 'errorRate', failed, judged)])
  }
  // Probes provoke 4xx on purpose; their rules judge those.
  if (summary.run.load !== null && requests > 0) {
    const rejected = Float64Array.from(parts, (part) => part?.rejected ?? 0)
    figures.push(['rejectedRate', measureShare(measure, 'rejectedRate', rejected, answered)])
  }
  return { requests, figures }
}

function wholeFigures(summary: RunSummary, { spans, measure }: Resampling): Measured {
  const { capacity, secondsEach, seconds, run } = summary
  if (run.search !== null) {
    if (capacity === null) return [['capacity', { lacking: 'found none' }]]
    return [
      [
        'capacity',
        {
          value: Math.log(capacity),
          variance: searchVariance(run.search.relativeWidth),
          blocks: KNOWN,
        },
      ],
    ]
  }
  const parts = Array.from({ length: spans }, (_, index) => summary.spans[index])
  const ended = Float64Array.from(parts, (part) => part?.iterations ?? 0)
  const dropped = Float64Array.from(parts, (part) => part?.dropped ?? 0)
  const due = ended.map((count, index) => count + (dropped[index] ?? 0))
  const lengths = Float64Array.from(parts, (_, index) => Math.min(secondsEach, seconds - index * secondsEach))
  if (sumDefined(due) === 0) return []
  return [
    [
      'iterationsPerSecond',
      measure('iterationsPerSecond', lengths, (weights) => ratio(weights, ended, lengths)),
    ],
    ['droppedRate', measureShare(measure, 'droppedRate', dropped, due)],
  ]
}

function measureShare(
  measure: Resampling['measure'],
  metric: ComparedMetric,
  failed: Weights,
  all: Weights,
): Figure {
  const figure = measure(metric, all, (weights) => ratio(weights, failed, all))
  return 'lacking' in figure
    ? figure
    : { ...figure, counts: { failed: sumDefined(failed), all: sumDefined(all) } }
}

/** Degrees of freedom of a variance that is known, not estimated: Student's t is then the normal distribution. */
const KNOWN = 1e6

/** The capacity is between the bounds of its search: variance of a uniform distribution of that width. */
function searchVariance(relativeWidth: number): number {
  return Math.log1p(relativeWidth) ** 2 / 12
}

function ratio(weights: Weights, numerators: Weights, denominators: Weights): number {
  let [over, under] = [0, 0]
  for (const [span, weight] of weights.entries()) {
    over += weight * (numerators[span] ?? 0)
    under += weight * (denominators[span] ?? 0)
  }
  return over / under
}

function sumDefined(values: Iterable<number | undefined>): number {
  let sum = 0
  for (const value of values) sum += value ?? 0
  return sum
}

type MetricFacts = {
  unit: Difference['unit']
  /**
   * Latencies and rates are compared by ratio, because their noise and regressions are relative. Shares can be 0, so
   * they are subtracted.
   */
  byRatio: boolean
  higherIs: 'worse' | 'better'
  isSmall: (difference: { absolute: number; relative: number | null }, least: SmallestEffects) => boolean
  /** The smallest effect, as a share of A for metrics compared by ratio. */
  smallestChange: (valueOfA: number, least: SmallestEffects) => number
  leastText: (least: SmallestEffects) => string
}

const LATENCY: MetricFacts = {
  unit: 'ms',
  byRatio: true,
  higherIs: 'worse',
  isSmall: ({ absolute, relative }, { latency }) =>
    Math.abs(absolute) < latency.ms || Math.abs(relative ?? Number.POSITIVE_INFINITY) < latency.relative,
  smallestChange: (valueOfA, { latency }) => Math.max(latency.relative, latency.ms / valueOfA),
  leastText: ({ latency }) => `${percent(latency.relative)} and ${latency.ms} ms`,
}

const RATE: MetricFacts = {
  unit: '/s',
  byRatio: true,
  higherIs: 'better',
  isSmall: ({ relative }, { rate }) => Math.abs(relative ?? Number.POSITIVE_INFINITY) < rate.relative,
  smallestChange: (_, { rate }) => rate.relative,
  leastText: ({ rate }) => percent(rate.relative),
}

function buildShareMetric(name: 'errorRate' | 'rejectedRate' | 'droppedRate'): MetricFacts {
  return {
    unit: 'share',
    byRatio: false,
    higherIs: 'worse',
    isSmall: ({ absolute }, least) => Math.abs(absolute) < least[name],
    smallestChange: (_, least) => least[name],
    leastText: (least) => `${Number((least[name] * 100).toPrecision(6))} percentage points`,
  }
}

export const METRICS: Readonly<Record<ComparedMetric, MetricFacts>> = {
  p50: LATENCY,
  p95: LATENCY,
  p99: LATENCY,
  errorRate: buildShareMetric('errorRate'),
  rejectedRate: buildShareMetric('rejectedRate'),
  iterationsPerSecond: RATE,
  droppedRate: buildShareMetric('droppedRate'),
  capacity: RATE,
}

export const QUANTILES = [
  { metric: 'p50', quantile: 0.5 },
  { metric: 'p95', quantile: 0.95 },
  { metric: 'p99', quantile: 0.99 },
] as const

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`
}
