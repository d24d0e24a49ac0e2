import type { TrialFacts } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'
import type { RequestWindow } from '../series/request-windows.ts'
import type { Span, Windows } from '../series/windows.ts'
import { type ChartLine, rateLine, startOf } from './chart-line.ts'
import { type FeedCharts, feedCharts } from './feed-charts.ts'
import { type GroupCourse, groupCourses } from './group-courses.ts'
import { type HeatMap, heatMap } from './heat-map.ts'
import { drawable, quantileLines } from './quantile-lines.ts'
import { type TrialMark, trialMarks } from './trial-marks.ts'

/** What the charts over the time of a run draw; page/ and charts/ read it. Seconds count from the first that holds anything. */
export type ChartData = {
  seconds: number
  trials: TrialMark[]
  /** All requests first. */
  groups: GroupCharts[]
  feed: FeedCharts | null
}

export type GroupCharts = {
  /** `*` are all requests. */
  name: string
  /** Seconds that a point stands for, and where each begins. */
  windowSeconds: number
  seconds: number[]
  latency: LatencyChart
  /** A second. */
  rates: ChartLine[]
  heat: HeatMap | null
}

export type LatencyChart = {
  /** Whether a step up stands for a factor: the spread asks for it. */
  logarithmic: boolean
  /** Milliseconds. Quantiles that no window supports are left out. */
  lines: (ChartLine & { name: string; windowSeconds: number })[]
  /** Names of two lines each, to be filled between. */
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

/** Undefined where nothing was measured. */
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

/** `bounds` as in quantileLines. */
type Parts = { span: Span; bounds: readonly number[] }

function groupCharts({ name, windows, indexes }: GroupCourse, { span, bounds }: Parts): GroupCharts {
  const measured = indexes.map((index) => windows.byIndex.get(index))
  return {
    name,
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => startOf(index, windows.seconds, span)),
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
  /** By indexes. */
  measured: readonly (RequestWindow | undefined)[]
}): LatencyChart {
  const { windows, indexes, bounds, measured } = options
  const quantiles = QUANTILES.map(({ quantile }) => quantile)
  const lines = [
    ...quantileLines({ windows, indexes, quantiles, bounds, latencyOf: ({ latency }) => latency }).map(
      ({ quantile, ...line }) => ({ ...named(quantile, line.windowSeconds), ...line }),
    ),
    { name: 'max', label: 'max', windowSeconds: windows.seconds, values: measured.map(maxOf) },
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

/** On an even axis all below a thirtieth of the top is one line at the bottom. */
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

function maxOf(window: RequestWindow | undefined): number | null {
  return window === undefined || window.requests === 0 ? null : drawable(window.latency.max)
}

const RATES = [
  { label: 'requests', countOf: ({ requests }: RequestWindow) => requests },
  { label: 'failed', countOf: ({ failed }: RequestWindow) => failed },
]

/** Of all requests alone: nobody knows what they would have asked. */
const DROPPED = { label: 'dropped', countOf: ({ dropped }: RequestWindow) => dropped }
