import { type Axis, getAxisSuffix, type TrialFacts, type TrialOutcome } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import { figure } from '../objective-text.ts'
import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/tally.ts'
import type { RequestWindow, Span, Windows } from '../series/windows.ts'
import { BUCKETS_PER_OCTAVE, type BucketCounts, type Histogram } from '../statistics/histogram.ts'
import {
  type ChartLine,
  computeStart,
  drawable,
  type FeedCharts,
  feedCharts,
  type GroupCourse,
  groupCourses,
  percentileLines,
  rateLine,
} from './chart-lines.ts'

/** Data of the charts over time, read by the scripts in browser/. Seconds count from the first one with data. */
export type ChartData = {
  seconds: number
  trials: TrialMark[]
  groups: GroupCharts[]
  feed: FeedCharts | null
}

export type GroupCharts = {
  /** `*`: all requests. */
  name: string
  /** Seconds that a point covers, and the start of each. */
  windowSeconds: number
  seconds: number[]
  latency: LatencyChart
  rates: ChartLine[]
  heat: HeatMap | null
}

export type LatencyChart = {
  logarithmic: boolean
  /** Milliseconds. Percentiles that no window supports are left out. */
  lines: (ChartLine & { name: string; windowSeconds: number })[]
  /** Names of two lines each; the area between them is filled. */
  bands: [low: string, high: string][]
}

const QUANTILES = [
  { quantile: 0.05, name: 'p5' },
  { quantile: 0.25, name: 'p25' },
  { quantile: 0.5, name: 'p50' },
  { quantile: 0.75, name: 'p75' },
  { quantile: 0.95, name: 'p95' },
  { quantile: 0.99, name: 'p99' },
]

const BANDS: readonly [low: string, high: string][] = [
  ['p5', 'p95'],
  ['p25', 'p75'],
]

export function chartData(options: {
  course: Course
  trials: readonly TrialFacts[]
  capacity: Report['capacity']
}): ChartData | undefined {
  const { course, trials, capacity } = options
  const groups = groupCourses(course)
  if (groups.length === 0) return undefined
  const bounds = trials.flatMap(({ judgedFrom, judgedTo }) => [judgedFrom, judgedTo])
  const parts = { span: course, bounds: bounds.filter((second) => second !== null) }
  return {
    seconds: course.lastSecond - course.firstSecond + 1,
    trials: trialMarks({ trials, capacity, span: course }),
    groups: groups.map((group) => groupCharts(group, parts)),
    feed: feedCharts(course, parts.bounds),
  }
}

/** `bounds` as in percentileLines. */
type Parts = { span: Span; bounds: readonly number[] }

function groupCharts({ name, windows, indexes }: GroupCourse, { span, bounds }: Parts): GroupCharts {
  const measured = indexes.map((index) => windows.byIndex.get(index))
  return {
    name,
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => computeStart(index, windows.seconds, span)),
    latency: latencyChart({ windows, indexes, bounds, measured }),
    rates: [
      ...RATES.map((rate) => rateLine({ ...rate, windows, indexes, span })),
      ...(name === ALL_ROUTES ? [rateLine({ ...DROPPED, windows, indexes, span })] : []),
    ],
    heat: heatMap(measured.map((window) => window?.latency)),
  }
}

function latencyChart(options: {
  windows: Windows<RequestWindow>
  indexes: readonly number[]
  bounds: readonly number[]
  measured: readonly (RequestWindow | undefined)[]
}): LatencyChart {
  const { windows, indexes, bounds, measured } = options
  const quantiles = QUANTILES.map(({ quantile }) => quantile)
  const lines = [
    ...percentileLines({ windows, indexes, quantiles, bounds, getLatency: ({ latency }) => latency }).map(
      ({ quantile, ...line }) => ({ ...named(quantile, line.windowSeconds), ...line }),
    ),
    { name: 'max', label: 'max', windowSeconds: windows.seconds, values: measured.map(getMaxLatency) },
  ]
  const names = new Set(lines.map(({ name }) => name))
  return {
    logarithmic: isWide(lines.filter(({ name }) => name !== 'max' || names.size === 1)),
    lines,
    bands: BANDS.filter((band) => band.every((name) => names.has(name))),
  }
}

function named(quantile: number, windowSeconds: number): { name: string; label: string } {
  const name = QUANTILES.find((each) => each.quantile === quantile)?.name ?? ''
  return { name, label: `${name} of ${windowSeconds} s` }
}

/** On a linear axis, values below a thirtieth of the maximum merge into one line at the bottom. */
const SPREAD_EVEN_MAX = 30

function isWide(lines: readonly ChartLine[]): boolean {
  let least = Number.POSITIVE_INFINITY
  let greatest = 0
  for (const value of lines.flatMap(({ values }) => values)) {
    if (value === null) continue
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  return least > 0 && greatest / least > SPREAD_EVEN_MAX
}

function getMaxLatency(window: RequestWindow | undefined): number | null {
  return window === undefined || window.requests === 0 ? null : drawable(window.latency.max)
}

const RATES = [
  { label: 'requests', getCount: ({ requests }: RequestWindow) => requests },
  { label: 'failed', getCount: ({ failed }: RequestWindow) => failed },
]

/** Only for all requests together: it is unknown which route a dropped iteration would have requested. */
const DROPPED = { label: 'dropped', getCount: ({ dropped }: RequestWindow) => dropped }

/** The judged part of a trial, shaded behind the charts over time. */
type TrialMark = {
  /** Seconds since the first one of the run; `to` is exclusive. */
  from: number
  to: number
  label: string
  /** A custom property of page.css without its dashes. */
  color: string
}

const COLORS: Readonly<Record<TrialOutcome, string>> = {
  pass: 'pass',
  fail: 'fail',
  'generator-limited': 'inconclusive',
  inconclusive: 'skipped',
}

/** Trials without a judged part are left out. */
export function trialMarks(options: {
  trials: readonly (Pick<TrialFacts, 'trial' | 'rate' | 'judgedFrom' | 'judgedTo'> & {
    axis?: Axis | undefined
  })[]
  capacity: Report['capacity']
  span: Span
}): TrialMark[] {
  const { trials, capacity, span } = options
  return trials.flatMap(({ trial, rate, axis, judgedFrom, judgedTo }) => {
    if (judgedFrom === null || judgedTo === null) return []
    const from = Math.max(judgedFrom, span.firstSecond) - span.firstSecond
    const to = Math.min(judgedTo, span.lastSecond + 1) - span.firstSecond
    const outcome = capacity?.trials.find((each) => each.trial === trial)?.outcome ?? 'inconclusive'
    return to > from
      ? [{ from, to, label: `trial ${trial}, ${figure(rate)}${getAxisSuffix(axis)}`, color: COLORS[outcome] }]
      : []
  })
}

/** Request counts by latency for each window. Rows have equal height on a logarithmic axis. */
type HeatMap = {
  /** Row r counts latencies in (2^(r / rowsPerOctave), 2^((r + 1) / rowsPerOctave)] ms. */
  rowsPerOctave: number
  lowestRow: number
  rows: number
  /**
   * Counts by row for each window: first the number of empty rows above the lowest, then the counts up to the highest
   * row that is not empty. Empty if all requests of the window have latency 0.
   */
  columns: number[][]
  /** Requests with latency 0: they got no response. Null if no window has any. */
  zeros: number[] | null
}

/** More rows cannot be distinguished, and hide a few requests that each have their own row. */
const ROWS_MAX = 60
const ROWS_MAX_OF_FEW = 20
const ROWS_PER_REQUEST = 2
const ROWS_PER_OCTAVE = [16, 8, 4, 2, 1] as const

/** One histogram per window, in order. Null if all requests have latency 0. */
export function heatMap(latencies: readonly (Histogram | undefined)[]): HeatMap | null {
  const range = bucketRange(latencies)
  if (range === undefined) return null
  const measured = latencies.filter((latency) => latency !== undefined && latency.count > 0)
  const perWindow = measured.reduce((sum, latency) => sum + (latency?.count ?? 0), 0) / measured.length
  const rowsMax = Math.min(ROWS_MAX, Math.max(ROWS_MAX_OF_FEW, ROWS_PER_REQUEST * perWindow))
  const toRow = (bucket: number, rowsPerOctave: number) =>
    Math.floor((bucket * rowsPerOctave) / BUCKETS_PER_OCTAVE)
  const rowsAt = (perOctave: number) => toRow(range.last, perOctave) - toRow(range.first, perOctave) + 1
  const rowsPerOctave = ROWS_PER_OCTAVE.find((perOctave) => rowsAt(perOctave) <= rowsMax) ?? 1
  const lowestRow = toRow(range.first, rowsPerOctave)
  const rows = rowsAt(rowsPerOctave)
  const zeros = latencies.map((latency) => latency?.zero ?? 0)
  return {
    rowsPerOctave,
    lowestRow,
    rows,
    columns: latencies.map((latency) => {
      const counts = new Array<number>(rows).fill(0)
      if (latency !== undefined)
        addRows({
          counts,
          buckets: latency.positive,
          bucketsPerRow: BUCKETS_PER_OCTAVE / rowsPerOctave,
          lowestRow,
        })
      return withoutEmptyEnds(counts)
    }),
    zeros: zeros.some((count) => count > 0) ? zeros : null,
  }
}

function addRows(options: {
  counts: number[]
  buckets: BucketCounts
  bucketsPerRow: number
  lowestRow: number
}): void {
  const { counts, buckets, bucketsPerRow, lowestRow } = options
  for (let position = 0; position < buckets.counts.length; position += 1) {
    const samples = buckets.counts[position] ?? 0
    if (samples === 0) continue
    const row = Math.floor((buckets.first + position) / bucketsPerRow) - lowestRow
    counts[row] = (counts[row] ?? 0) + samples
  }
}

function bucketRange(
  latencies: readonly (Histogram | undefined)[],
): { first: number; last: number } | undefined {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const latency of latencies) {
    if (latency === undefined) continue
    const { positive } = latency
    const filled = (samples: number) => samples > 0
    const lowest = positive.counts.findIndex(filled)
    if (lowest === -1) continue
    first = Math.min(first, positive.first + lowest)
    last = Math.max(last, positive.first + positive.counts.findLastIndex(filled))
  }
  return last < first ? undefined : { first, last }
}

function withoutEmptyEnds(counts: readonly number[]): number[] {
  const lowest = counts.findIndex((count) => count > 0)
  if (lowest === -1) return []
  return [lowest, ...counts.slice(lowest, counts.findLastIndex((count) => count > 0) + 1)]
}
