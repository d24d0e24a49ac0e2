import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'
import { addInfinite, addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { createWindows, type Windows, windowAt } from './windows.ts'

/** What the report needs of a run's series, folded while it is read. */
export type FoldedSeries = {
  /** By `routeKey`. */
  routes: Map<string, Route>
  windows: Windows
  iterations: number
  droppedIterations: number
  /** Clients of a workload mix by how they ended: lived, refused, absent. */
  mixClients: Map<string, number>
  /** Unix seconds; undefined before the first point. */
  firstSecond: number | undefined
  lastSecond: number | undefined
}

export type Route = {
  routeGroup: string
  name: string
  latency: Histogram
  /** Samples of http_req_failed, and how many of them were true. */
  judged: number
  failed: number
}

/** The group and name of requests that a scenario did not tag. */
export const UNTAGGED = '(untagged)'

export function createFoldedSeries(): FoldedSeries {
  return {
    routes: new Map(),
    windows: createWindows(),
    iterations: 0,
    droppedIterations: 0,
    mixClients: new Map(),
    firstSecond: undefined,
    lastSecond: undefined,
  }
}

type Fold = (series: FoldedSeries, point: SeriesPoint) => void

/** The metrics that the report reads; all others are passed over unparsed. */
export const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ['http_req_duration', foldDuration],
  ['http_req_failed', foldFailed],
  ['iterations', foldIterations],
  ['dropped_iterations', foldDropped],
  ['mix_clients', foldMixClients],
])

export function foldPoint(series: FoldedSeries, point: SeriesPoint): void {
  series.firstSecond = Math.min(series.firstSecond ?? point.time, point.time)
  series.lastSecond = Math.max(series.lastSecond ?? point.time, point.time)
  if (!isOwn(point)) FOLDS.get(point.metric)?.(series, point)
}

/** What a scenario asks of the stub's control API, or of a signer, says nothing about the target. */
function isOwn({ tags }: SeriesPoint): boolean {
  return OWN_ROUTE_GROUPS.some((group) => group === tags.route_group)
}

function foldDuration(series: FoldedSeries, point: SeriesPoint): void {
  const part = {
    count: point.count,
    min: point.min ?? 0,
    max: point.max ?? 0,
    zero: point.zero ?? 0,
    buckets: point.buckets ?? [],
    ...(point.negative === undefined ? {} : { negative: point.negative }),
  }
  const window = windowAt(series.windows, point.time)
  addPart(window.latency, part)
  window.requests += point.count
  addPart(routeOf(series, point).latency, part)
}

function foldFailed(series: FoldedSeries, point: SeriesPoint): void {
  const route = routeOf(series, point)
  route.judged += point.count
  route.failed += point.sum
  windowAt(series.windows, point.time).failed += point.sum
}

function foldIterations(series: FoldedSeries, point: SeriesPoint): void {
  series.iterations += point.sum
}

function foldDropped(series: FoldedSeries, point: SeriesPoint): void {
  series.droppedIterations += point.sum
  const window = windowAt(series.windows, point.time)
  window.dropped += point.sum
  addInfinite(window.latency, point.sum)
}

function foldMixClients(series: FoldedSeries, { tags, sum }: SeriesPoint): void {
  const end = tags.end ?? ''
  series.mixClients.set(end, (series.mixClients.get(end) ?? 0) + sum)
}

function routeOf(series: FoldedSeries, { tags }: SeriesPoint): Route {
  const routeGroup = tags.route_group ?? UNTAGGED
  const name = tags.name ?? UNTAGGED
  const key = `${routeGroup}\n${name}`
  const found = series.routes.get(key)
  if (found !== undefined) return found
  const made = { routeGroup, name, latency: createHistogram(), judged: 0, failed: 0 }
  series.routes.set(key, made)
  return made
}
