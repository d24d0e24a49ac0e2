import {
  type Capacity,
  getAxisUnit,
  getLoadNoun,
  isOfSockets,
  type Scalability,
  type TrialResult,
} from '../../contract/capacity.ts'
import type { LatencyMs, ObjectiveResult, Report } from '../../contract/report.ts'
import { throughputText } from '../capacity/capacity-texts.ts'
import { throughputAt } from '../capacity/scalability.ts'
import { focusTrial } from '../capacity/trials.ts'
import { figure, latencyText, objectiveText, percent } from '../objective-text.ts'

/** A chart over the loads of a search, drawn by browser/charts.js. */
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
  if (capacity === null) return []
  if (trials.length < TRIALS_MIN) return recoveryChart(capacity)
  return [
    throughputChart(trials),
    latencyChart(trials, slo),
    ...recoveryChart(capacity),
    ...(capacity.scalability === null ? [] : [scalabilityChart(capacity.scalability)]),
  ]
}

/** By rising rate. Trials without a counted request are left out, unless they count events. */
export function drawableTrials(capacity: Capacity | null): TrialResult[] {
  return (capacity?.trials ?? [])
    .filter(
      ({ phase, axis, seconds, requests }) =>
        phase !== 'warm-up' && seconds > 0 && (requests > 0 || axis === 'events'),
    )
    .toSorted((a, b) => offeredRate(a) - offeredRate(b))
}

/** The average rate: a stage may ramp. */
function offeredRate({ rate, rateFrom }: TrialResult): number {
  return rateFrom === null ? rate : (rateFrom + rate) / 2
}

/** At random, more or fewer iterations are due than planned. */
function dueRate(trial: TrialResult): number {
  return trial.duePerSecond ?? offeredRate(trial)
}

function rateAxis(trials: readonly TrialResult[]): { label: string; unit: string } {
  return { label: 'planned', unit: getAxisUnit(trials[0]?.axis) }
}

/** Per second. */
function readThroughput({ axis, throughput, sockets }: TrialResult): number {
  return axis === 'events' ? (sockets?.eventsPerSecond ?? 0) : throughput
}

function throughputChart(trials: readonly TrialResult[]): StepChart {
  const selectPoints = (isShown: (trial: TrialResult) => boolean) =>
    trials.map((trial) => (isShown(trial) ? rounded(readThroughput(trial)) : null))
  return {
    id: 'throughput-chart',
    x: { ...rateAxis(trials), values: trials.map(offeredRate) },
    unit: '/s',
    logarithmic: false,
    lines: [
      ...(trials[0]?.axis === 'events'
        ? []
        : [
            {
              label: 'offered',
              color: 'quiet',
              drawn: 'dashes' as const,
              values: trials.map((trial) => rounded(dueRate(trial))),
            },
          ]),
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

type ReadLatency = (trial: TrialResult) => LatencyMs

/** The delay of events if they are the load, otherwise the latency of requests. */
const readP95: ReadLatency = ({ axis, sockets, p95Ms }) =>
  axis === 'events' ? (sockets?.feedDelayP95Ms ?? null) : p95Ms

const QUANTILES: readonly { name: string; read: ReadLatency }[] = [
  { name: 'p50', read: ({ p50Ms }) => p50Ms },
  { name: 'p95', read: readP95 },
  { name: 'p99', read: ({ p99Ms }) => p99Ms },
]

function latencyChart(trials: readonly TrialResult[], slo: Report['slo']): StepChart {
  return {
    id: 'step-latency-chart',
    x: { ...rateAxis(trials), values: trials.map(offeredRate) },
    unit: 'ms',
    logarithmic: true,
    lines: [
      ...QUANTILES.filter(({ read }) => trials[0]?.axis !== 'events' || read === readP95).map(
        ({ name, read }): StepLine => ({
          label: name,
          color: `${name}-line`,
          drawn: 'points',
          values: trials.map((trial) => positive(read(trial))),
        }),
      ),
      ...limitLines(trials, slo),
    ],
  }
}

function limitLines(trials: readonly TrialResult[], slo: Report['slo']): StepLine[] {
  return (slo?.objectives ?? []).flatMap((objective) => {
    const limit = trials[0]?.axis === 'events' ? limitOfDelay(objective) : limitOfAll(objective)
    if (limit === null) return []
    const values = trials.map(() => limit)
    return [{ label: objectiveText(objective), color: 'quiet', drawn: 'dashes' as const, values }]
  })
}

function limitOfDelay(objective: ObjectiveResult): number | null {
  return objective.kind === 'feed-delay' ? objective.feedDelayMsMax : null
}

function limitOfAll(objective: ObjectiveResult): number | null {
  return objective.kind === 'latency' && objective.routeGroup === '*' ? objective.latencyMsMax : null
}

/** The reconnect curve at the found number of sockets, or of the last trial in which sockets were cut. */
function recoveryChart(capacity: Capacity): StepChart[] {
  const shown = findStorm(capacity)
  if (shown === undefined) return []
  const points = shown.sockets?.recovery ?? []
  return [
    {
      id: 'recovery-chart',
      x: { label: 'since the cut', unit: 's', values: [0, ...points.map(({ ms }) => rounded(ms / 1000))] },
      unit: '%',
      logarithmic: false,
      lines: [
        {
          label: 'synchronized again',
          color: 'p50-line',
          drawn: 'line',
          values: [0, ...points.map(({ share }) => rounded(100 * share))],
        },
      ],
    },
  ]
}

function findStorm(capacity: Capacity): TrialResult | undefined {
  const hasCurve = ({ sockets }: TrialResult) => (sockets?.recovery?.length ?? 0) > 0
  const focus = focusTrial(capacity)
  return focus !== undefined && hasCurve(focus) ? focus : capacity.trials.findLast(hasCurve)
}

/** Names the trial of the reconnect curve. */
export function recoveryGist(capacity: Capacity): string {
  const shown = findStorm(capacity)
  const last = shown?.sockets?.recovery?.at(-1)
  if (shown === undefined || last === undefined) return ''
  return `Trial ${shown.trial}: of ${figure(shown.rate)} sockets that were cut at once, ${percent(last.share)} were synchronized again after ${figure(last.ms / 1000)} s.`
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
  const behind = trials.findLast((trial) => trial.throughput < KEPT_UP_SHARE * dueRate(trial))
  if (behind !== undefined)
    return `At ${figure(dueRate(behind))} offered ${getAxisUnit(behind.axis)}, only ${throughputText(behind)}${behind.axis === 'slow-readers' ? ' of the normal sockets' : ''} were ${isOfSockets(behind.axis) ? 'served' : 'completed'}.`
  const highest = trials.at(-1)
  if (highest === undefined) return ''
  if (highest.axis === 'slow-readers')
    return `All normal sockets were served, next to up to ${figure(offeredRate(highest))} slow readers.`
  if (isOfSockets(highest.axis))
    return `All ${getAxisUnit(highest.axis)} were served, up to ${figure(offeredRate(highest))}.`
  return `Throughput kept up with the offered rate, up to ${figure(offeredRate(highest))} iterations/s.`
}

const PERCENTILES: readonly { name: string; read: ReadLatency }[] = [
  { name: 'p95', read: readP95 },
  { name: 'p50', read: ({ p50Ms }) => p50Ms },
]

function latencyGist(trials: readonly TrialResult[]): string {
  for (const { name, read } of PERCENTILES) {
    const known = trials.filter((trial) => read(trial) !== null)
    const lowest = known[0]
    if (lowest === undefined) continue
    const slowest = known.reduce((slow, trial) => (order(read(trial)) > order(read(slow)) ? trial : slow))
    const at = (trial: TrialResult) =>
      `${latencyText(read(trial))} at ${figure(offeredRate(trial))}${isOfSockets(trial.axis) ? ` ${getAxisUnit(trial.axis)}` : '/s'}`
    return slowest === lowest
      ? `${name} was highest at the lowest ${getLoadNoun(lowest.axis)}: ${at(lowest)}.`
      : `${name} rose from ${at(lowest)} to ${at(slowest)}.`
  }
  return 'Too few requests per trial for a percentile.'
}

function order(latencyMs: LatencyMs): number {
  return latencyMs === 'infinite' ? Number.POSITIVE_INFINITY : (latencyMs ?? 0)
}
