import { HEARTBEAT } from '../../contract/scenario-config.ts'
import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'
import { UNTAGGED } from '../series/fold-series.ts'
import { partOf } from '../series/point.ts'
import { addPart, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'

/** A stretch of a run's judged time. */
export type Span = {
  /** By route group and name, see `routeKey`. */
  routes: Map<string, RouteSpan>
  iterations: number
  dropped: number
}

/** The requests of a route in one span. */
export type RouteSpan = {
  latency: Histogram
  judged: number
  failed: number
  /** Answered with a 4xx: that is quick, and no service. */
  refused: number
}

/** A run's judged time in spans of equal width: blocks are made of them, and no second is looked at twice. */
export type RunSpans = {
  /** The width. */
  secondsEach: number
  /** From the start; undefined where nothing was measured. */
  spans: (Span | undefined)[]
}

/** Enough for 60 blocks or so, and the work on a run does not grow with its length. */
const SPANS_MAX = 256

/** No spans yet. */
export function createRunSpans(): RunSpans {
  return { secondsEach: 1, spans: [] }
}

type Fold = (span: Span, point: SeriesPoint) => void

const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ['http_req_duration', foldDuration],
  ['http_req_failed', foldFailed],
  ['iterations', foldIterations],
  ['dropped_iterations', foldDropped],
])

export const METRICS_NEEDED: ReadonlySet<string> = new Set(FOLDS.keys())

/** Adds a point; `second` is that of the judged time, from 0. */
export function foldIntoSpans(run: RunSpans, point: SeriesPoint, second: number): void {
  const fold = FOLDS.get(point.metric)
  if (fold !== undefined && !isOwn(point)) fold(spanAt(run, second), point)
}

/** What a scenario asks of the stub's control API, or of a signer, and a heartbeat, say nothing about the target. */
function isOwn({ tags }: SeriesPoint): boolean {
  return tags.scenario === HEARTBEAT || OWN_ROUTE_GROUPS.some((group) => group === tags.route_group)
}

function foldDuration(span: Span, point: SeriesPoint): void {
  const route = routeOf(span, point)
  addPart(route.latency, partOf(point))
  if (point.tags.status?.startsWith('4')) route.refused += point.count
}

function foldFailed(span: Span, point: SeriesPoint): void {
  const route = routeOf(span, point)
  route.judged += point.count
  route.failed += point.sum
}

function foldIterations(span: Span, { sum }: SeriesPoint): void {
  span.iterations += sum
}

function foldDropped(span: Span, { sum }: SeriesPoint): void {
  span.dropped += sum
}

/** A route's key, and back. */
export function routeKey(routeGroup: string, name: string): string {
  return `${routeGroup}\n${name}`
}

/** The group and the name that a key was made of. */
export function routeOfKey(key: string): { routeGroup: string; name: string } {
  const end = key.indexOf('\n')
  return { routeGroup: key.slice(0, end), name: key.slice(end + 1) }
}

function routeOf(span: Span, { tags }: SeriesPoint): RouteSpan {
  return routeAt(span, routeKey(tags.route_group ?? UNTAGGED, tags.name ?? UNTAGGED))
}

function routeAt(span: Span, key: string): RouteSpan {
  const found = span.routes.get(key)
  if (found !== undefined) return found
  const made = { latency: createHistogram(), judged: 0, failed: 0, refused: 0 }
  span.routes.set(key, made)
  return made
}

/** Where a second needs one span too many, all are joined two by two. */
function spanAt(run: RunSpans, second: number): Span {
  while (second >= run.secondsEach * SPANS_MAX) joinSpans(run)
  const index = Math.floor(second / run.secondsEach)
  const found = run.spans[index]
  if (found !== undefined) return found
  const made: Span = { routes: new Map(), iterations: 0, dropped: 0 }
  run.spans[index] = made
  return made
}

function joinSpans(run: RunSpans): void {
  run.spans = Array.from({ length: Math.ceil(run.spans.length / 2) }, (_, index) =>
    joined(run.spans[2 * index], run.spans[2 * index + 1]),
  )
  run.secondsEach *= 2
}

function joined(first: Span | undefined, second: Span | undefined): Span | undefined {
  if (first === undefined || second === undefined) return first ?? second
  first.iterations += second.iterations
  first.dropped += second.dropped
  for (const [key, { latency, judged, failed, refused }] of second.routes) {
    const route = routeAt(first, key)
    mergeInto(route.latency, latency)
    route.judged += judged
    route.failed += failed
    route.refused += refused
  }
  return first
}
