import type { LatencyMs } from '../../contract/report.ts'
import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/tally.ts'
import {
  type FEED_COUNTS,
  type FEED_TRENDS,
  type FeedWindow,
  REQUEST_WINDOWS,
  type RequestWindow,
  type Span,
  secondsCovered,
  type Windows,
  widened,
} from '../series/windows.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { computeQuantiles, samplesNeeded } from '../statistics/quantiles.ts'

/** A percentile over time: one value per requested window, null if too few samples support it. */
export type PercentileLine = { quantile: number; windowSeconds: number; values: (number | null)[] }

const POINTS_MIN = 4

/**
 * Percentile lines over the windows with these indexes, by rising percentile. If most windows have too few samples
 * for one, its line uses windows 2, 4, 8 … times as wide; one that never has enough is left out.
 */
export function percentileLines<Content>(options: {
  windows: Windows<Content>
  indexes: readonly number[]
  quantiles: readonly number[]
  /** Unix seconds at which the load changes: no window spans two loads. */
  bounds: readonly number[]
  getLatency: (window: Content) => Histogram
}): PercentileLine[] {
  const { windows, indexes, quantiles, bounds, getLatency } = options
  const placeAt = apartAt(bounds.map((second) => Math.ceil(second / windows.seconds)))
  const lines: PercentileLine[] = []
  let wide = {
    ...windows,
    byIndex: new Map([...windows.byIndex].map(([index, window]) => [placeAt(index), window])),
  }
  let left = [...quantiles]
  for (let factor = 1; factor < PART && left.length > 0 && wide.byIndex.size >= POINTS_MIN; factor *= 2) {
    const latencies = measured(wide, getLatency)
    const drawn = left.filter((quantile) => supportsMost(latencies, quantile))
    left = left.filter((quantile) => !drawn.includes(quantile))
    const byIndex = new Map([...latencies].map(([index, latency]) => [index, supported(latency, drawn)]))
    for (const [place, quantile] of drawn.entries()) {
      const values = indexes.map((index) =>
        windows.byIndex.has(index)
          ? (byIndex.get(Math.floor(placeAt(index) / factor))?.[place] ?? null)
          : null,
      )
      lines.push({ quantile, windowSeconds: wide.seconds, values })
    }
    wide = widened(wide, 2)
  }
  return lines.sort((a, b) => a.quantile - b.quantile)
}

/** Wider than any window and a power of two: indexes this far apart are never joined. */
const PART = 2 ** 20

/** Moves the indexes after each bound apart, so that a wider window starts at the bound. */
function apartAt(bounds: readonly number[]): (index: number) => number {
  if (bounds.length === 0) return (index) => index
  const rising = [...bounds].sort((a, b) => a - b)
  return (index) => {
    const part = rising.findLastIndex((bound) => bound <= index)
    return part === -1 ? index : (part + 1) * PART * PART + index - (rising[part] ?? 0)
  }
}

function measured<Content>(
  windows: Windows<Content>,
  getLatency: (window: Content) => Histogram,
): Map<number, Histogram> {
  const latencies = new Map<number, Histogram>()
  for (const [index, window] of windows.byIndex) {
    const latency = getLatency(window)
    if (latency.count > 0) latencies.set(index, latency)
  }
  return latencies
}

function supportsMost(latencies: ReadonlyMap<number, Histogram>, quantile: number): boolean {
  const needed = samplesNeeded(quantile)
  let supports = 0
  for (const { count } of latencies.values()) if (count >= needed) supports += 1
  return latencies.size >= POINTS_MIN && supports * 2 > latencies.size
}

function supported(latency: Histogram, quantiles: readonly number[]): (number | null)[] {
  const values = computeQuantiles(latency, quantiles) ?? []
  return quantiles.map((quantile, place) =>
    latency.count >= samplesNeeded(quantile) ? drawable(values[place] ?? null) : null,
  )
}

/** An infinite percentile leaves a gap; the line of dropped iterations shows why. */
export function drawable(latencyMs: LatencyMs): number | null {
  if (latencyMs === null || latencyMs === 'infinite' || !Number.isFinite(latencyMs)) return null
  return Number(latencyMs.toPrecision(4))
}

export type GroupCourse = {
  /** `*`: all requests. */
  name: string
  windows: Windows<RequestWindow>
  /** Indexes of the drawn windows, rising. A gap in the data has one empty window, so that no line crosses it. */
  indexes: number[]
}

/** All requests first, then, if there are several groups, each by name. Empty if nothing was measured. */
export function groupCourses(course: Course): GroupCourse[] {
  const { groups, groupNames } = course
  const requests = withinSpan(course.requests, course)
  if (![...requests.byIndex.values()].some(isUsed)) return []
  const all = { name: ALL_ROUTES, windows: requests, indexes: indexesWithGaps([...requests.byIndex.keys()]) }
  if (groupNames.size < 2) return [all]
  const measured = measuredIndexes({ requests, groups })
  const indexes = indexesWithGaps([...measured])
  return [
    all,
    ...[...groupNames]
      .sort()
      .map((name) => ({ name, windows: collectWindows(name, groups, measured), indexes })),
  ]
}

function withinSpan(windows: Windows<RequestWindow>, span: Span): Windows<RequestWindow> {
  const within = [...windows.byIndex].filter(([index]) => secondsCovered(windows.seconds, index, span) > 0)
  return { ...windows, byIndex: new Map(within) }
}

function isUsed({ requests, failed, dropped }: RequestWindow): boolean {
  return requests + failed + dropped > 0
}

/** Indexes of group windows with any data: a group without requests there has a rate of 0. */
function measuredIndexes({ requests, groups }: Pick<Course, 'requests' | 'groups'>): Set<number> {
  const indexes = new Set(groups.byIndex.keys())
  for (const index of requests.byIndex.keys()) {
    indexes.add(Math.floor((index * requests.seconds) / groups.seconds))
  }
  return indexes
}

function collectWindows(
  name: string,
  groups: Course['groups'],
  measured: ReadonlySet<number>,
): Windows<RequestWindow> {
  const byIndex = new Map<number, RequestWindow>()
  for (const index of measured) {
    byIndex.set(index, groups.byIndex.get(index)?.get(name) ?? REQUEST_WINDOWS.create())
  }
  return { kind: REQUEST_WINDOWS, seconds: groups.seconds, byIndex }
}

/** Adds an empty window after each one without a successor. */
function indexesWithGaps(indexes: readonly number[]): number[] {
  const rising = [...indexes].sort((a, b) => a - b)
  return rising.flatMap((index, position) => {
    const next = rising[position + 1]
    return next === undefined || next === index + 1 ? [index] : [index, index + 1]
  })
}

/** Null if there is no supported value. */
export type ChartLine = { label: string; values: (number | null)[] }

/** Seconds since the first one with data; the first window may start before it. */
export function computeStart(index: number, windowSeconds: number, { firstSecond }: Span): number {
  return Math.max(0, index * windowSeconds - firstSecond)
}

/** Events per second; null if nothing was measured. */
export function rateLine<Content>(options: {
  label: string
  getCount: (window: Content) => number
  windows: Windows<Content>
  indexes: readonly number[]
  span: Span
}): ChartLine {
  const { label, getCount, windows, indexes, span } = options
  const values = indexes.map((index) => {
    const window = windows.byIndex.get(index)
    if (window === undefined) return null
    const rate = getCount(window) / secondsCovered(windows.seconds, index, span)
    return Number(rate.toPrecision(4))
  })
  return { label, values }
}

export type FeedCharts = {
  windowSeconds: number
  seconds: number[]
  delay: ChartLine[]
  sockets: ChartLine[]
  messages: ChartLine[]
}

const DELAYS: readonly { trend: (typeof FEED_TRENDS)[number]; quantile: number; label: string }[] = [
  { trend: 'most', quantile: 0.5, label: 'p50 at most' },
  { trend: 'most', quantile: 0.95, label: 'p95 at most' },
  { trend: 'least', quantile: 0.95, label: 'p95 at least' },
  { trend: 'synchronize', quantile: 0.5, label: 'p50 to synchronize' },
]

/** Null if no feed data was measured. `bounds` as in percentileLines. */
export function feedCharts(course: Course, bounds: readonly number[]): FeedCharts | null {
  const { feed: windows } = course
  if (windows.byIndex.size === 0) return null
  const indexes = indexesWithGaps([...windows.byIndex.keys()])
  const buildLines = (name: (typeof FEED_COUNTS)[number], label: string = name) =>
    hasCounts(windows, name)
      ? [
          rateLine({
            label,
            getCount: ({ counts }: FeedWindow) => counts[name],
            windows,
            indexes,
            span: course,
          }),
        ]
      : []
  return {
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => computeStart(index, windows.seconds, course)),
    delay: DELAYS.flatMap(({ trend, quantile, label }) =>
      percentileLines({
        windows,
        indexes,
        quantiles: [quantile],
        bounds,
        getLatency: ({ trends }) => trends[trend],
      }).map(({ windowSeconds, values }) => ({ label: `${label} of ${windowSeconds} s`, values })),
    ),
    sockets: [
      ...buildLines('opened'),
      ...buildLines('served'),
      ...buildLines('unresponsive'),
      ...buildLines('rejected'),
    ],
    messages: buildLines('received', 'messages'),
  }
}

function hasCounts({ byIndex }: Windows<FeedWindow>, name: (typeof FEED_COUNTS)[number]): boolean {
  return [...byIndex.values()].some(({ counts }) => counts[name] > 0)
}
