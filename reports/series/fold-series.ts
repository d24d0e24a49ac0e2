import { GENERATOR_LAG, LOAD_START } from '../../contract/scenario-config.ts'
import {
  DUE_ITERATIONS,
  FEED_DELAY_LOWER_BOUND,
  FEED_DELAY_UPPER_BOUND,
  FEED_RECOVERY,
  FEED_RESYNCS,
  FEED_ROOMS_UNKNOWN,
  FEED_SOCKETS,
  FEED_SOCKETS_DUE,
  FEED_SOCKETS_HELD,
  FEED_SYNCHRONIZE,
  FEED_UNMEASURED,
  FEED_UNRECOVERED,
  LATENESS,
  RESPONSE_TIME,
  SERVER_TIMED,
  SERVER_TIMING,
  type SeriesPoint,
  SINCE_DUE,
  SLOW_TRACE,
} from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { addInfinite, addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { isInTrial, isOwn, isWithin, type Slice, toHistogramPart, WHOLE } from './point.ts'
import {
  createServerTimes,
  foldServerTimed,
  foldServerTiming,
  foldSlowTrace,
  type ServerTimes,
  type SlowTrace,
} from './server-times.ts'
import { countPoint, createObjectiveTally, METRICS_COUNTED, type ObjectiveTally, REFUSED } from './tally.ts'

type FoldedFeed = {
  /** Bounds of the event delay in ms. */
  delayLowerBound: Histogram
  delayUpperBound: Histogram
  /** Ms; sockets that were never served count as infinite. */
  synchronize: Histogram
  /** Ms from the cut of all sockets; those that were not synchronized again in time count as infinite. */
  recovery: Histogram
  /** Sockets by outcome: served, unresponsive, rejected. */
  sockets: Map<string, number>
  /** Ms until a socket opened. */
  connects: Histogram
  /** Events that arrived, with a known delay or not. */
  events: number
  received: number
  sent: number
  resyncs: number
  /** Socket seconds of a load with a number of sockets: due, and served. */
  due: number
  held: number
  /** Rooms that sockets could not join, because the target lists too few pools. */
  unknownRooms: number
}

function createFoldedFeed(): FoldedFeed {
  return {
    delayLowerBound: createHistogram(),
    delayUpperBound: createHistogram(),
    synchronize: createHistogram(),
    recovery: createHistogram(),
    sockets: new Map(),
    connects: createHistogram(),
    events: 0,
    received: 0,
    sent: 0,
    resyncs: 0,
    due: 0,
    held: 0,
    unknownRooms: 0,
  }
}

type FeedFold = (feed: FoldedFeed, point: SeriesPoint) => void

/** By metric. Metrics of k6 count every socket, those of a mix only the sockets of its clients. */
const FEED_FOLDS: ReadonlyMap<string, FeedFold> = new Map<string, FeedFold>([
  [FEED_DELAY_LOWER_BOUND, (feed, point) => addPart(feed.delayLowerBound, toHistogramPart(point))],
  [FEED_DELAY_UPPER_BOUND, foldDelay],
  [FEED_UNMEASURED, (feed, { sum }) => Object.assign(feed, { events: feed.events + sum })],
  [FEED_SYNCHRONIZE, (feed, point) => addPart(feed.synchronize, toHistogramPart(point))],
  [FEED_SOCKETS, foldSocket],
  [FEED_RECOVERY, (feed, point) => addPart(feed.recovery, toHistogramPart(point))],
  [FEED_UNRECOVERED, (feed, { sum }) => addInfinite(feed.recovery, sum)],
  ['ws_connecting', (feed, point) => addPart(feed.connects, toHistogramPart(point))],
  ['ws_msgs_received', (feed, { sum }) => Object.assign(feed, { received: feed.received + sum })],
  ['ws_msgs_sent', (feed, { sum }) => Object.assign(feed, { sent: feed.sent + sum })],
  [FEED_RESYNCS, (feed, { sum }) => Object.assign(feed, { resyncs: feed.resyncs + sum })],
  [FEED_SOCKETS_DUE, (feed, { sum }) => Object.assign(feed, { due: feed.due + sum })],
  [FEED_SOCKETS_HELD, (feed, { sum }) => Object.assign(feed, { held: feed.held + sum })],
  [FEED_ROOMS_UNKNOWN, (feed, { sum }) => Object.assign(feed, { unknownRooms: feed.unknownRooms + sum })],
])

function foldDelay(feed: FoldedFeed, point: SeriesPoint): void {
  addPart(feed.delayUpperBound, toHistogramPart(point))
  feed.events += point.count
}

function foldSocket(feed: FoldedFeed, { tags, sum }: SeriesPoint): void {
  addTo(feed.sockets, tags.outcome, sum)
  if (tags.outcome !== 'served') addInfinite(feed.synchronize, sum)
}

export type FoldedSeries = {
  slice: Slice
  /** By group and name. */
  routes: Map<string, Route>
  /** The same routes: all points of a series in a file share their tags. */
  routesByTags: WeakMap<SeriesPoint['tags'], Route>
  slo: { name: string; tallies: readonly ObjectiveTally[] } | null
  /** The sum of response times. */
  requestMs: number
  /** Undefined: the k6 that wrote it did not count them. */
  dueIterations: number | undefined
  iterations: number
  iterationDuration: Histogram
  droppedIterations: number
  /** Clients of a workload mix by outcome: completed, unauthorized, sign-in-failed. */
  mixClients: Map<string, number>
  feedUnmeasured: Map<string, number>
  feed: FoldedFeed
  serverTimes: ServerTimes
  /** How late k6 woke sleeping VUs, in ms. */
  generatorLag: Histogram
  /** Unix ms of the load start of the last load generator to start. Applies to the whole trial. */
  loadStartMs: number | undefined
  /** Unix seconds; undefined before the first point. */
  firstSecond: number | undefined
  lastSecond: number | undefined
}

export type Route = {
  routeGroup: string
  name: string
  /** From when requests were due. */
  latency: Histogram
  responseTime: Histogram
  /** Only of the first requests of arriving clients. */
  lateness: Histogram
  /** Samples of http_req_failed, and how many of them were true. */
  judged: number
  failed: number
  /** Failed requests by status; 0: no response. */
  failures: Map<string, number>
  rateLimited: number
  /** Requests with another 4xx. */
  turnedAway: number
  /** The slowest traced requests, slowest first. */
  slowest: SlowTrace[]
}

export const UNTAGGED = '(untagged)'

/** `slo` selects the objectives to count for, `slice` the part of the run. */
export function createFoldedSeries(options: { slo?: Slo | null; slice?: Slice } = {}): FoldedSeries {
  const { slo = null, slice = WHOLE } = options
  return {
    slice,
    routes: new Map(),
    routesByTags: new WeakMap(),
    slo: slo && {
      name: slo.name,
      tallies: slo.objectives.map((objective) => createObjectiveTally(objective, slice.from ?? 0)),
    },
    requestMs: 0,
    dueIterations: undefined,
    iterations: 0,
    iterationDuration: createHistogram(),
    droppedIterations: 0,
    mixClients: new Map(),
    feedUnmeasured: new Map(),
    feed: createFoldedFeed(),
    serverTimes: createServerTimes(),
    generatorLag: createHistogram(),
    loadStartMs: undefined,
    firstSecond: undefined,
    lastSecond: undefined,
  }
}

type Fold = (series: FoldedSeries, point: SeriesPoint) => void

const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  [SINCE_DUE, foldLatency],
  [RESPONSE_TIME, foldResponseTime],
  [LATENESS, foldLateness],
  ['http_req_failed', foldFailed],
  [DUE_ITERATIONS, foldDue],
  ['iterations', foldIterations],
  ['iteration_duration', (series, point) => addPart(series.iterationDuration, toHistogramPart(point))],
  ['dropped_iterations', foldDropped],
  ['mix_clients', ({ mixClients }, { tags, sum }) => addTo(mixClients, tags.end, sum)],
  [FEED_UNMEASURED, ({ feedUnmeasured }, { tags, sum }) => addTo(feedUnmeasured, tags.reason, sum)],
  [SERVER_TIMED, ({ serverTimes }, point) => foldServerTimed(serverTimes, point)],
  [SERVER_TIMING, ({ serverTimes }, point) => foldServerTiming(serverTimes, point)],
  [SLOW_TRACE, (series, point) => foldSlowTrace(getOrCreateRoute(series, point).slowest, point)],
])

export const METRICS_READ: ReadonlySet<string> = new Set([
  GENERATOR_LAG,
  ...FOLDS.keys(),
  ...FEED_FOLDS.keys(),
  ...METRICS_COUNTED,
  LOAD_START,
])

export function foldPoint(series: FoldedSeries, point: SeriesPoint): void {
  if (!isInTrial(series.slice, point)) return
  if (point.metric === LOAD_START) foldLoadStart(series, point)
  if (!isWithin(series.slice, point.time)) return
  series.firstSecond = Math.min(series.firstSecond ?? point.time, point.time)
  series.lastSecond = Math.max(series.lastSecond ?? point.time, point.time)
  if (point.metric === GENERATOR_LAG) addPart(series.generatorLag, toHistogramPart(point))
  if (isOwn(point)) return
  FOLDS.get(point.metric)?.(series, point)
  FEED_FOLDS.get(point.metric)?.(series.feed, point)
  for (const tally of series.slo?.tallies ?? []) countPoint(tally, point)
}

function foldResponseTime(series: FoldedSeries, point: SeriesPoint): void {
  series.requestMs += point.sum
  addPart(getOrCreateRoute(series, point).responseTime, toHistogramPart(point))
}

function foldLateness(series: FoldedSeries, point: SeriesPoint): void {
  addPart(getOrCreateRoute(series, point).lateness, toHistogramPart(point))
}

function foldLatency(series: FoldedSeries, point: SeriesPoint): void {
  const route = getOrCreateRoute(series, point)
  addPart(route.latency, toHistogramPart(point))
  const { status = '' } = point.tags
  if (status === REFUSED) route.rateLimited += point.count
  else if (status.startsWith('4')) route.turnedAway += point.count
}

function foldFailed(series: FoldedSeries, point: SeriesPoint): void {
  const route = getOrCreateRoute(series, point)
  route.judged += point.count
  route.failed += point.sum
  if (point.sum === 0) return
  addTo(route.failures, point.tags.status, point.sum)
}

function foldDue(series: FoldedSeries, point: SeriesPoint): void {
  series.dueIterations = (series.dueIterations ?? 0) + point.sum
}

function foldIterations(series: FoldedSeries, point: SeriesPoint): void {
  series.iterations += point.sum
}

function foldDropped(series: FoldedSeries, point: SeriesPoint): void {
  series.droppedIterations += point.sum
}

function addTo(sums: Map<string, number>, name: string | undefined, sum: number): void {
  sums.set(name ?? '', (sums.get(name ?? '') ?? 0) + sum)
}

function foldLoadStart(series: FoldedSeries, { max }: SeriesPoint): void {
  if (max !== undefined) series.loadStartMs = Math.max(series.loadStartMs ?? max, max)
}

function getOrCreateRoute(series: FoldedSeries, { tags }: SeriesPoint): Route {
  const known = series.routesByTags.get(tags)
  if (known !== undefined) return known
  const routeGroup = tags.route_group ?? UNTAGGED
  const name = tags.name ?? UNTAGGED
  const key = `${routeGroup}\n${name}`
  const route = series.routes.get(key) ?? createRoute(routeGroup, name)
  series.routes.set(key, route)
  series.routesByTags.set(tags, route)
  return route
}

function createRoute(routeGroup: string, name: string): Route {
  return {
    routeGroup,
    name,
    latency: createHistogram(),
    responseTime: createHistogram(),
    lateness: createHistogram(),
    judged: 0,
    failed: 0,
    failures: new Map(),
    rateLimited: 0,
    turnedAway: 0,
    slowest: [],
  }
}
