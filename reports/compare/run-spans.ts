import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { UNTAGGED } from '../series/fold-series.ts'
import { isOwn, toHistogramPart } from '../series/point.ts'
import { addPart, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'

export type Span = {
  /** By `routeKey`. */
  routes: Map<string, RouteSpan>
  iterations: number
  dropped: number
}

export type RouteSpan = {
  latency: Histogram
  judged: number
  failed: number
  /** Responses with 4xx: fast, but not service. */
  rejected: number
}

/** The judged time of a run in spans of equal width. Blocks consist of whole spans. */
export type RunSpans = {
  secondsEach: number
  /** From the start; undefined if nothing was measured. */
  spans: (Span | undefined)[]
}

/** Enough for about 60 blocks, and independent of the length of the run. */
const SPANS_MAX = 256

export function createRunSpans(): RunSpans {
  return { secondsEach: 1, spans: [] }
}

type Fold = (span: Span, point: SeriesPoint) => void

const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  [SINCE_DUE, foldLatency],
  ['http_req_failed', foldFailed],
  ['iterations', foldIterations],
  ['dropped_iterations', foldDropped],
])

export const METRICS_NEEDED: ReadonlySet<string> = new Set(FOLDS.keys())

/** `second` counts from the start of the judged time. */
export function foldIntoSpans(run: RunSpans, point: SeriesPoint, second: number): void {
  const fold = FOLDS.get(point.metric)
  if (fold !== undefined && !isOwn(point)) fold(spanAt(run, second), point)
}

function foldLatency(span: Span, point: SeriesPoint): void {
  const route = getRouteSpan(span, point)
  addPart(route.latency, toHistogramPart(point))
  if (point.tags.status?.startsWith('4')) route.rejected += point.count
}

function foldFailed(span: Span, point: SeriesPoint): void {
  const route = getRouteSpan(span, point)
  route.judged += point.count
  route.failed += point.sum
}

function foldIterations(span: Span, { sum }: SeriesPoint): void {
  span.iterations += sum
}

function foldDropped(span: Span, { sum }: SeriesPoint): void {
  span.dropped += sum
}

export function routeKey(routeGroup: string, name: string): string {
  return `${routeGroup}\n${name}`
}

export function parseRouteKey(key: string): { routeGroup: string; name: string } {
  const end = key.indexOf('\n')
  return { routeGroup: key.slice(0, end), name: key.slice(end + 1) }
}

function getRouteSpan(span: Span, { tags }: SeriesPoint): RouteSpan {
  return routeAt(span, routeKey(tags.route_group ?? UNTAGGED, tags.name ?? UNTAGGED))
}

function routeAt(span: Span, key: string): RouteSpan {
  const found = span.routes.get(key)
  if (found !== undefined) return found
  const made = { latency: createHistogram(), judged: 0, failed: 0, rejected: 0 }
  span.routes.set(key, made)
  return made
}

/** Joins spans in pairs when a second would need one too many. */
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
  for (const [key, { latency, judged, failed, rejected }] of second.routes) {
    const route = routeAt(first, key)
    mergeInto(route.latency, latency)
    route.judged += judged
    route.failed += failed
    route.rejected += rejected
  }
  return first
}
