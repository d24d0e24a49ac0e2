import { type Axis, getAxisSymbol } from '../../contract/capacity.ts'
import type { ComparedMetric, Difference } from '../../contract/comparison.ts'
import { compareMeans, computeMean, type SideFigures } from '../statistics/compare-means.ts'
import { figureKey, METRICS, QUANTILES, type RunFigures, WHOLE_RUN } from './run-figures.ts'
import { parseRouteKey } from './run-spans.ts'

/** A difference before it is judged; `lacking` says why it cannot be judged. */
export type Measured = Omit<Difference, 'pAdjusted' | 'verdict' | 'reason'> & { lacking: string }

export type MeasureOptions = {
  a: readonly RunFigures[]
  b: readonly RunFigures[]
  /** Reasons why nothing may be compared; figures are shown anyway. */
  reasons: readonly string[]
  /** For capacity searches. */
  axis?: Axis | undefined
  confidence: number
}

/**
 * Every metric of every route of either side, then those of the whole run. Latency of all requests together is left
 * out: it repeats the routes, and shifts with their proportions.
 */
export function measureDifferences(options: MeasureOptions): Measured[] {
  const [inA, inB] = [options.a, options.b].map((runs) => new Set(runs.flatMap(({ routes }) => routes)))
  const routes = [...new Set([...(inA ?? []), ...(inB ?? [])])].sort()
  return [
    ...routes.flatMap((route) => {
      const absent = inA?.has(route) ? (inB?.has(route) ? undefined : 'B') : 'A'
      if (absent !== undefined) return [notThere(route, 'p50', `${absent} has no such route`)]
      return ROUTE_METRICS.flatMap((metric) => measure(options, route, metric))
    }),
    ...WHOLE_METRICS.flatMap((metric) => measure(options, WHOLE_RUN, metric)),
  ].map((one) => (one.metric === 'capacity' ? { ...one, unit: getAxisSymbol(options.axis) } : one))
}

const ROUTE_METRICS = [...QUANTILES.map(({ metric }) => metric), 'errorRate', 'rejectedRate'] as const
const WHOLE_METRICS = ['iterationsPerSecond', 'droppedRate', 'capacity'] as const

/** Metrics whose absence is reported; that of other metrics is ignored. */
const NEEDED: ReadonlySet<ComparedMetric> = new Set(['p50', 'p95', 'iterationsPerSecond', 'capacity'])

function measure(options: MeasureOptions, route: string, metric: ComparedMetric): Measured[] {
  const a = collect(options.a, 'A', route, metric)
  const b = collect(options.b, 'B', route, metric)
  if ('lacking' in a || 'lacking' in b) {
    const lacking = [a, b].flatMap((side) => ('lacking' in side ? (side.lacking ?? []) : []))[0]
    return NEEDED.has(metric) && lacking !== undefined ? [notThere(route, metric, lacking)] : []
  }
  const reasons = [...options.reasons, ...whyTooShort(a, 'A', b), ...whyTooShort(b, 'B', a)]
  const { difference, low, high, pValue } = compareMeans({ a, b, confidence: options.confidence })
  if (metric === 'rejectedRate' && isNever(a) && isNever(b)) return []
  const { byRatio, unit } = METRICS[metric]
  const natural = byRatio ? Math.exp : (value: number) => value
  const [valueA, valueB] = [natural(computeMean(a.values)), natural(computeMean(b.values))]
  const absolute = (change: number) => (byRatio ? valueA * Math.expm1(change) : change)
  const relative = (change: number) => (byRatio ? Math.expm1(change) : valueA === 0 ? null : change / valueA)
  const judged = reasons.length === 0
  return [
    {
      ...splitRoute(route),
      metric,
      unit,
      a: { value: valueA, runs: a.values.map(natural) },
      b: { value: valueB, runs: b.values.map(natural) },
      difference: absolute(difference),
      relativeDifference: relative(difference),
      interval: judged ? { low: absolute(low), high: absolute(high) } : null,
      relativeInterval: judged ? ends(relative(low), relative(high)) : null,
      pValue: judged ? pValue : null,
      lacking: reasons.join('; '),
    },
  ]
}

/** As `blockSeconds` has it: fewer say nothing. */
const BLOCKS_MIN = 4

/** Between single runs, only their blocks show how much a metric varies. */
function whyTooShort({ values, blocks }: SideFigures, name: string, other: SideFigures): string[] {
  return values.length + other.values.length > 2 || blocks >= BLOCKS_MIN
    ? []
    : [`the run of ${name} has it in too few seconds to know how much it varies`]
}

/** Most loads get no 4xx, so a row for each of their routes would be noise. */
function isNever({ values }: SideFigures): boolean {
  return values.every((value) => value === 0)
}

function ends(low: number | null, high: number | null): Difference['interval'] {
  return low === null || high === null ? null : { low, high }
}

/** A metric of all runs of a side, or why it is missing; null if the side has no such metric. */
function collect(
  runs: readonly RunFigures[],
  side: string,
  route: string,
  metric: ComparedMetric,
): SideFigures | { lacking: string | null } {
  const values: number[] = []
  const variances: number[] = []
  const counted = { failed: 0, all: 0 }
  let blocks = Number.POSITIVE_INFINITY
  let missing = 0
  for (const { figures } of runs) {
    const figure = figures.get(figureKey(route, metric))
    if (figure === undefined) missing += 1
    else if ('lacking' in figure) return { lacking: `a run of ${side} ${figure.lacking}` }
    else {
      values.push(figure.value)
      variances.push(figure.variance)
      counted.failed += figure.counts?.failed ?? 0
      counted.all += figure.counts?.all ?? 0
      blocks = Math.min(blocks, figure.blocks)
    }
  }
  if (missing === runs.length) return { lacking: null }
  if (missing > 0) return { lacking: `${missing} of the ${runs.length} runs of ${side} have none` }
  return { values, variances, leastVariance: independentVariance(counted) * runs.length, blocks }
}

/** Variance of the share of a side if failures were independent; without any failure, as if there had been half of one. */
function independentVariance({ failed, all }: { failed: number; all: number }): number {
  const share = (failed + 0.5) / (all + 1)
  return all === 0 ? 0 : (share * (1 - share)) / all
}

function splitRoute(route: string): Pick<Difference, 'routeGroup' | 'name'> {
  return route === WHOLE_RUN ? { routeGroup: WHOLE_RUN, name: null } : parseRouteKey(route)
}

function notThere(route: string, metric: ComparedMetric, lacking: string): Measured {
  return {
    ...splitRoute(route),
    metric,
    unit: METRICS[metric].unit,
    a: null,
    b: null,
    difference: null,
    relativeDifference: null,
    interval: null,
    relativeInterval: null,
    pValue: null,
    lacking,
  }
}
