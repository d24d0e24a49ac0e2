import {
  FEED_DELAY_LOWER_BOUND,
  FEED_DELAY_UPPER_BOUND,
  FEED_SOCKETS,
  FEED_SYNCHRONIZE,
  type SeriesPoint,
  SINCE_DUE,
} from '../../contract/series.ts'
import { addInfinite, addPart, type HistogramPart } from '../statistics/histogram.ts'
import { isOwn, toHistogramPart } from './point.ts'
import {
  createWindows,
  FEED_WINDOWS,
  type FeedWindow,
  GROUP_WINDOWS,
  type GroupWindow,
  groupIn,
  REQUEST_WINDOWS,
  type RequestWindow,
  type Span,
  type Windows,
  windowAt,
} from './windows.ts'

/** The data of charts over time, folded while the series is read. The span is infinite before the first point. */
export type Course = Span & {
  /** Those of seconds in which k6 ran are empty without requests, also before and after the span. */
  requests: Windows<RequestWindow>
  groups: Windows<GroupWindow>
  groupNames: Set<string>
  feed: Windows<FeedWindow>
}

/** Custom scenarios can create unlimited groups: only the first ones are kept. */
export const GROUPS_MAX = 32

export function createCourse(): Course {
  return {
    firstSecond: Number.POSITIVE_INFINITY,
    lastSecond: Number.NEGATIVE_INFINITY,
    requests: createWindows(REQUEST_WINDOWS),
    groups: createWindows(GROUP_WINDOWS),
    groupNames: new Set(),
    feed: createWindows(FEED_WINDOWS),
  }
}

type Fold = (course: Course, point: SeriesPoint) => void

const FOLDS: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  [SINCE_DUE, foldLatency],
  ['http_req_failed', foldFailed],
  ['dropped_iterations', foldDropped],
  [FEED_DELAY_LOWER_BOUND, foldTrend('least')],
  [FEED_DELAY_UPPER_BOUND, foldTrend('most')],
  [FEED_SYNCHRONIZE, foldTrend('synchronize')],
  [FEED_SOCKETS, foldOutcome],
  ['ws_sessions', foldCount('opened')],
  ['ws_msgs_received', foldCount('received')],
])

/** k6 writes it every second while it runs: a second with it but without requests had none. */
const RUNNING = 'vus'

export const COURSE_METRICS: ReadonlySet<string> = new Set([...FOLDS.keys(), RUNNING])

/** Ignores points that are not about the target. */
export function foldCourse(course: Course, point: SeriesPoint): void {
  if (point.metric === RUNNING) windowAt(course.requests, point.time)
  const fold = FOLDS.get(point.metric)
  if (fold === undefined || isOwn(point)) return
  course.firstSecond = Math.min(course.firstSecond, point.time)
  course.lastSecond = Math.max(course.lastSecond, point.time)
  fold(course, point)
}

function foldLatency(course: Course, point: SeriesPoint): void {
  const part = toHistogramPart(point)
  addRequests(windowAt(course.requests, point.time), part)
  const group = groupWindow(course, point)
  if (group !== undefined) addRequests(group, part)
}

function addRequests(window: RequestWindow, part: HistogramPart): void {
  addPart(window.latency, part)
  window.requests += part.count
}

function foldFailed(course: Course, point: SeriesPoint): void {
  windowAt(course.requests, point.time).failed += point.sum
  const group = groupWindow(course, point)
  if (group !== undefined) group.failed += point.sum
}

/** Only for all requests together: it is unknown which route a dropped iteration would have requested. */
function foldDropped(course: Course, point: SeriesPoint): void {
  const window = windowAt(course.requests, point.time)
  window.dropped += point.sum
  addInfinite(window.latency, point.sum)
}

function groupWindow({ groups, groupNames }: Course, { time, tags }: SeriesPoint): RequestWindow | undefined {
  const name = tags.route_group
  if (name === undefined) return undefined
  if (groupNames.size < GROUPS_MAX) groupNames.add(name)
  return groupNames.has(name) ? groupIn(windowAt(groups, time), name) : undefined
}

function foldTrend(name: keyof FeedWindow['trends']): Fold {
  return ({ feed }, point) => addPart(windowAt(feed, point.time).trends[name], toHistogramPart(point))
}

function foldCount(name: keyof FeedWindow['counts']): Fold {
  return ({ feed }, { time, sum }) => {
    windowAt(feed, time).counts[name] += sum
  }
}

function foldOutcome({ feed }: Course, { time, tags, sum }: SeriesPoint): void {
  const outcome = OUTCOMES.find((name) => name === tags.outcome)
  if (outcome !== undefined) windowAt(feed, time).counts[outcome] += sum
}

const OUTCOMES = ['served', 'unresponsive', 'rejected'] as const
