import type { LatencyMs } from '../../contract/report.ts'
import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/tally.ts'
import {
  REQUEST_WINDOWS,
  type RequestWindow,
  type Span,
  secondsCovered,
  type Windows,
  widened,
} from '../series/windows.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { quantilesOf, samplesNeeded } from '../statistics/quantiles.ts'

/** A quantile over time: a value for each window that was asked for, null where nothing supports one. */
export type QuantileLine = { quantile: number; windowSeconds: number; values: (number | null)[] }

/** A line of fewer points shows no course of things. */
const POINTS_MIN = 4

/**
 * Quantiles over the windows with these indexes, by rising quantile. Where a window has too few samples for a quantile, its
 * line takes windows 2, 4, 8 … times as wide, until most have enough; one that never has is left out.
 */
export function quantileLines<Content>(options: {
  windows: Windows<Content>
  indexes: readonly number[]
  quantiles: readonly number[]
  /** Unix seconds at which another load begins: no window reaches across. */
  bounds: readonly number[]
  latencyOf: (window: Content) => Histogram
}): QuantileLine[] {
  const { windows, indexes, quantiles, bounds, latencyOf } = options
  const placeOf = apartAt(bounds.map((second) => Math.ceil(second / windows.seconds)))
  const lines: QuantileLine[] = []
  let wide = {
    ...windows,
    byIndex: new Map([...windows.byIndex].map(([index, window]) => [placeOf(index), window])),
  }
  let left = [...quantiles]
  for (let factor = 1; factor < PART && left.length > 0 && wide.byIndex.size >= POINTS_MIN; factor *= 2) {
    const latencies = measured(wide, latencyOf)
    const drawn = left.filter((quantile) => supportsMost(latencies, quantile))
    left = left.filter((quantile) => !drawn.includes(quantile))
    const byIndex = new Map([...latencies].map(([index, latency]) => [index, supported(latency, drawn)]))
    for (const [place, quantile] of drawn.entries()) {
      const values = indexes.map((index) =>
        windows.byIndex.has(index)
          ? (byIndex.get(Math.floor(placeOf(index) / factor))?.[place] ?? null)
          : null,
      )
      lines.push({ quantile, windowSeconds: wide.seconds, values })
    }
    wide = widened(wide, 2)
  }
  return lines.sort((a, b) => a.quantile - b.quantile)
}

/** Further than any window is wide, and a power of two: indexes that far apart are never joined. */
const PART = 2 ** 20

/** Indexes of windows as they are, but those behind a bound further on, so that a wider window begins at it. */
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
  latencyOf: (window: Content) => Histogram,
): Map<number, Histogram> {
  const latencies = new Map<number, Histogram>()
  for (const [index, window] of windows.byIndex) {
    const latency = latencyOf(window)
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
  const values = quantilesOf(latency, quantiles) ?? []
  return quantiles.map((quantile, place) =>
    latency.count >= samplesNeeded(quantile) ? drawable(values[place] ?? null) : null,
  )
}

/** An infinite quantile cannot be drawn: a gap, and the line of dropped iterations says why. */
export function drawable(latencyMs: LatencyMs): number | null {
  if (latencyMs === null || latencyMs === 'infinite' || !Number.isFinite(latencyMs)) return null
  return Number(latencyMs.toPrecision(4))
}

/** Requests of a group over time. */
export type GroupCourse = {
  /** `*` are all requests. */
  name: string
  windows: Windows<RequestWindow>
  /** Rising: of the windows that are drawn. One without content stands where nothing was measured, so that no line crosses it. */
  indexes: number[]
}

/** All requests first, then each group by name, where there are several. None where nothing was measured. */
export function groupCourses(course: Course): GroupCourse[] {
  const { requests, groups, groupNames } = course
  if (requests.byIndex.size === 0) return []
  const all = { name: ALL_ROUTES, windows: requests, indexes: indexesWithGaps([...requests.byIndex.keys()]) }
  if (groupNames.size < 2) return [all]
  const measured = measuredIndexes(course)
  const indexes = indexesWithGaps([...measured])
  return [
    all,
    ...[...groupNames].sort().map((name) => ({ name, windows: windowsOf(name, groups, measured), indexes })),
  ]
}

/** Where anything was measured, in the windows of groups: there a group that asked for nothing has a rate of 0. */
function measuredIndexes({ requests, groups }: Course): Set<number> {
  const indexes = new Set(groups.byIndex.keys())
  for (const index of requests.byIndex.keys()) {
    indexes.add(Math.floor((index * requests.seconds) / groups.seconds))
  }
  return indexes
}

function windowsOf(
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

/** After a window without a successor stands an empty one. */
export function indexesWithGaps(indexes: readonly number[]): number[] {
  const rising = [...indexes].sort((a, b) => a - b)
  return rising.flatMap((index, position) => {
    const next = rising[position + 1]
    return next === undefined || next === index + 1 ? [index] : [index, index + 1]
  })
}

/** A line of a chart; null where nothing supports a value. */
export type ChartLine = { label: string; values: (number | null)[] }

/** Seconds since the first that holds anything; the first window may have begun before. */
export function startOf(index: number, windowSeconds: number, { firstSecond }: Span): number {
  return Math.max(0, index * windowSeconds - firstSecond)
}

/** How often something happened, a second; null where nothing was measured. */
export function rateLine<Content>(options: {
  label: string
  countOf: (window: Content) => number
  windows: Windows<Content>
  indexes: readonly number[]
  span: Span
}): ChartLine {
  const { label, countOf, windows, indexes, span } = options
  const values = indexes.map((index) => {
    const window = windows.byIndex.get(index)
    if (window === undefined) return null
    const rate = countOf(window) / secondsCovered(windows.seconds, index, span)
    return Number(rate.toPrecision(4))
  })
  return { label, values }
}
