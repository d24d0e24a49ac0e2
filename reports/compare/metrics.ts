import type { ComparedMetric, Difference, SmallestEffects } from '../../contract/comparison.ts'

type MetricFacts = {
  unit: Difference['unit']
  /** Compared by ratio: of latencies and rates, noise and regressions are shares. Shares may be 0, so they are subtracted. */
  byRatio: boolean
  higherIs: 'worse' | 'better'
  /** Whether a difference is too small to report. */
  isSmall: (difference: { absolute: number; relative: number | null }, least: SmallestEffects) => boolean
  /** The smallest effect, for people. */
  leastText: (least: SmallestEffects) => string
}

const LATENCY: MetricFacts = {
  unit: 'ms',
  byRatio: true,
  higherIs: 'worse',
  isSmall: ({ absolute, relative }, { latency }) =>
    Math.abs(absolute) < latency.ms || Math.abs(relative ?? Number.POSITIVE_INFINITY) < latency.relative,
  leastText: ({ latency }) => `${percent(latency.relative)} and ${latency.ms} ms`,
}

const RATE: MetricFacts = {
  unit: '/s',
  byRatio: true,
  higherIs: 'better',
  isSmall: ({ relative }, { rate }) => Math.abs(relative ?? Number.POSITIVE_INFINITY) < rate.relative,
  leastText: ({ rate }) => percent(rate.relative),
}

function shareOf(name: 'errorRate' | 'refusedRate' | 'droppedRate'): MetricFacts {
  return {
    unit: 'share',
    byRatio: false,
    higherIs: 'worse',
    isSmall: ({ absolute }, least) => Math.abs(absolute) < least[name],
    leastText: (least) => `${Number((least[name] * 100).toPrecision(6))} percentage points`,
  }
}

/** How each metric is compared. */
export const METRICS: Readonly<Record<ComparedMetric, MetricFacts>> = {
  p50: LATENCY,
  p95: LATENCY,
  p99: LATENCY,
  errorRate: shareOf('errorRate'),
  refusedRate: shareOf('refusedRate'),
  iterationsPerSecond: RATE,
  droppedRate: shareOf('droppedRate'),
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
