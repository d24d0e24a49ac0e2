import { type Capacity, getAxisUnit, type Scalability, type TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs, Report } from '../../contract/report.ts'
import { throughputAt } from '../capacity/scalability.ts'
import { figure, latencyText, objectiveText } from '../objective-text.ts'

/** A chart over the loads of a search, drawn by browser/step-chart.js. */
export type StepChart = {
  id: string
  x: { label: string; unit: string; values: number[] }
  unit: string
  logarithmic: boolean
  lines: StepLine[]
}

type StepLine = {
  label: string
  /** A custom property of page.css without its dashes. */
  color: string
  /** `points` are not joined: several can share one x. */
  drawn: 'line' | 'dashes' | 'points'
  values: (number | null)[]
}

const TRIALS_MIN = 2

/** Throughput and latency by offered rate and, if there is a fit, throughput by concurrency. */
export function stepCharts({ capacity, slo }: Pick<Report, 'capacity' | 'slo'>): StepChart[] {
  const trials = drawableTrials(capacity)
  if (capacity === null || trials.length < TRIALS_MIN) return []
  return [
    throughputChart(trials),
    latencyChart(trials, slo),
    ...(capacity.scalability === null ? [] : [scalabilityChart(capacity.scalability)]),
  ]
}

/** By rising rate. Trials without a counted request are left out. */
export function drawableTrials(capacity: Capacity | null): TrialResult[] {
  return (capacity?.trials ?? [])
    .filter(({ phase, seconds, requests }) => phase !== 'warm-up' && seconds > 0 && requests > 0)
    .toSorted((a, b) => offeredRate(a) - offeredRate(b))
}

/** The average rate: a stage may ramp. */
function offeredRate({ rate, rateFrom }: TrialResult): number {
  return rateFrom === null ? rate : (rateFrom + rate) / 2
}

function rateAxis(trials: readonly TrialResult[]): { label: string; unit: string } {
  return { label: 'offered', unit: getAxisUnit(trials[0]?.axis) }
}

function throughputChart(trials: readonly TrialResult[]): StepChart {
  const selectPoints = (isShown: (trial: TrialResult) => boolean) =>
    trials.map((trial) => (isShown(trial) ? rounded(trial.throughput) : null))
  return {
    id: 'throughput-chart',
    x: { ...rateAxis(trials), values: trials.map(offeredRate) },
    unit: '/s',
    logarithmic: false,
    lines: [
      { label: 'offered', color: 'quiet', drawn: 'dashes', values: trials.map(offeredRate) },
      {
        label: 'pass',
        color: 'pass',
        drawn: 'points',
        values: selectPoints(({ outcome }) => outcome === 'pass'),
      },
      {
        label: 'fail',
        color: 'fail',
        drawn: 'points',
        values: selectPoints(({ outcome }) => outcome === 'fail'),
      },
      {
        label: 'inconclusive',
        color: 'inconclusive',
        drawn: 'points',
        values: selectPoints(({ outcome }) => outcome === 'generator-limited' || outcome === 'inconclusive'),
      },
    ],
  }
}

const QUANTILES = [
  { name: 'p50', key: 'p50Ms' },
  { name: 'p95', key: 'p95Ms' },
  { name: 'p99', key: 'p99Ms' },
] as const

function latencyChart(trials: readonly TrialResult[], slo: Report['slo']): StepChart {
  return {
    id: 'step-latency-chart',
    x: { ...rateAxis(trials), values: trials.map(offeredRate) },
    unit: 'ms',
    logarithmic: true,
    lines: [
      ...QUANTILES.map(
        ({ name, key }): StepLine => ({
          label: name,
          color: `${name}-line`,
          drawn: 'points',
          values: trials.map((trial) => positive(trial[key])),
        }),
      ),
      ...limitLines(trials, slo),
    ],
  }
}

function limitLines(trials: readonly TrialResult[], slo: Report['slo']): StepLine[] {
  return (slo?.objectives ?? []).flatMap((objective) =>
    objective.kind === 'latency' && objective.routeGroup === '*'
      ? [
          {
            label: objectiveText(objective),
            color: 'quiet',
            drawn: 'dashes' as const,
            values: trials.map(() => objective.latencyMsMax),
          },
        ]
      : [],
  )
}

const CURVE_POINTS = 80

function scalabilityChart(scalability: Scalability): StepChart {
  const measured = scalability.points.map(({ concurrency }) => concurrency)
  const top = Math.max(...measured) * 1.15
  const curve = Array.from({ length: CURVE_POINTS + 1 }, (_, index) => (top * index) / CURVE_POINTS)
  const values = [
    ...curve.map((n) => ({ n, point: null })),
    ...scalability.points.map((point) => ({ n: point.concurrency, point })),
  ].sort((a, b) => a.n - b.n)
  return {
    id: 'scalability-chart',
    x: { label: 'concurrency', unit: 'requests', values: values.map(({ n }) => rounded(n)) },
    unit: '/s',
    logarithmic: false,
    lines: [
      {
        label: 'fit',
        color: 'p50-line',
        drawn: 'line',
        values: values.map(({ n }) => rounded(throughputAt(scalability, n))),
      },
      {
        label: 'trials',
        color: 'p95-line',
        drawn: 'points',
        values: values.map(({ point }) => (point === null ? null : rounded(point.requestsPerSecond))),
      },
    ],
  }
}

/** A logarithmic axis cannot show infinity or 0. */
function positive(latencyMs: TrialResult['p50Ms']): number | null {
  return typeof latencyMs === 'number' && latencyMs > 0 ? rounded(latencyMs) : null
}

function rounded(value: number): number {
  return Number(value.toPrecision(5))
}

/** Below this share of the offered rate, throughput visibly leaves the dashed line. */
const KEPT_UP_SHARE = 0.95

/** One sentence per chart over load that names the main thing to notice. `trials` are those drawn, by rising rate. */
export function stepGists(trials: readonly TrialResult[]): Record<'throughput' | 'latency', string> {
  return { throughput: throughputGist(trials), latency: latencyGist(trials) }
}

function throughputGist(trials: readonly TrialResult[]): string {
  const behind = trials.findLast((trial) => trial.throughput < KEPT_UP_SHARE * offeredRate(trial))
  if (behind !== undefined)
    return `At ${figure(offeredRate(behind))} offered ${getAxisUnit(behind.axis)}, only ${figure(behind.throughput)} were ${behind.axis === 'sockets' ? 'served' : 'completed'}.`
  const highest = trials.at(-1)
  if (highest === undefined) return ''
  if (highest.axis === 'sockets') return `All sockets were served, up to ${figure(offeredRate(highest))}.`
  return `Throughput kept up with the offered rate, up to ${figure(offeredRate(highest))} iterations/s.`
}

const PERCENTILES = [
  { name: 'p95', key: 'p95Ms' },
  { name: 'p50', key: 'p50Ms' },
] as const

function latencyGist(trials: readonly TrialResult[]): string {
  for (const { name, key } of PERCENTILES) {
    const known = trials.filter((trial) => trial[key] !== null)
    const lowest = known[0]
    if (lowest === undefined) continue
    const slowest = known.reduce((slow, trial) => (order(trial[key]) > order(slow[key]) ? trial : slow))
    const at = (trial: TrialResult) => `${latencyText(trial[key])} at ${figure(offeredRate(trial))}/s`
    return slowest === lowest
      ? `${name} was highest at the lowest rate: ${at(lowest)}.`
      : `${name} rose from ${at(lowest)} to ${at(slowest)}.`
  }
  return 'Too few requests per trial for a percentile.'
}

function order(latencyMs: LatencyMs): number {
  return latencyMs === 'infinite' ? Number.POSITIVE_INFINITY : (latencyMs ?? 0)
}
