import {
  FEED_DELAY_LOWER_BOUND,
  FEED_DELAY_UPPER_BOUND,
  FEED_RECOVERY,
  FEED_SOCKETS,
  FEED_SYNCHRONIZE,
  FEED_UNRECOVERED,
  type SeriesPoint,
  SINCE_DUE,
} from '../../contract/series.ts'
import { getObjectiveKind, type Objective, type ObjectiveKind } from '../../contract/slo.ts'
import { addInfinite, addPart, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import type { FoldedSeries } from './fold-series.ts'
import { toHistogramPart } from './point.ts'

export type RouteGroup = {
  routeGroup: string
  latency: Histogram
  responseTime: Histogram
  lateness: Histogram
  judged: number
  failed: number
  rateLimited: number
}

/** The group of all requests. Only it counts dropped iterations, because their route is unknown. */
export const ALL_ROUTES = '*'

export function groupRoutes(series: FoldedSeries): RouteGroup[] {
  const all = createGroup(ALL_ROUTES)
  const byName = new Map<string, RouteGroup>()
  for (const { routeGroup, judged, failed, rateLimited, ...route } of series.routes.values()) {
    const group = byName.get(routeGroup) ?? createGroup(routeGroup)
    byName.set(routeGroup, group)
    for (const sums of [all, group]) {
      for (const name of TIMES) mergeInto(sums[name], route[name])
      sums.judged += judged
      sums.failed += failed
      sums.rateLimited += rateLimited
    }
  }
  addInfinite(all.latency, series.droppedIterations)
  const groups = [...byName.values()].sort((a, b) => (a.routeGroup < b.routeGroup ? -1 : 1))
  return [all, ...groups]
}

const TIMES = ['latency', 'responseTime', 'lateness'] as const

function createGroup(routeGroup: string): RouteGroup {
  const [latency, responseTime, lateness] = [createHistogram(), createHistogram(), createHistogram()]
  return { routeGroup, latency, responseTime, lateness, judged: 0, failed: 0, rateLimited: 0 }
}

/** Counts for an objective: shares use `samples` and `bad`, percentiles the histograms. */
export type Tally = {
  samples: number
  bad: number
  /** Equal except for a feed delay, which has a lower and an upper bound. */
  least: Histogram
  most: Histogram
}

/** Counts for an objective, in total and, if the objective has windows, by window. */
export type ObjectiveTally = {
  objective: Objective
  kind: ObjectiveKind
  whole: Tally
  windows: {
    seconds: number
    /** Unix seconds; windows start at a multiple of their width from here. */
    origin: number
    byIndex: Map<number, Tally>
  } | null
}

export function createObjectiveTally(objective: Objective, origin: number): ObjectiveTally {
  const { windowSeconds } = objective
  return {
    objective,
    kind: getObjectiveKind(objective),
    whole: createTally(objective),
    windows: windowSeconds === undefined ? null : { seconds: windowSeconds, origin, byIndex: new Map() },
  }
}

/** Ignores points that are not about the objective. */
export function countPoint({ objective, kind, whole, windows }: ObjectiveTally, point: SeriesPoint): void {
  const count = COUNTS[kind][point.metric]
  if (count === undefined || !isInGroup(objective, point)) return
  count(whole, point)
  if (windows === null) return
  const index = Math.floor((point.time - windows.origin) / windows.seconds)
  const tally = windows.byIndex.get(index) ?? createTally(objective)
  windows.byIndex.set(index, tally)
  count(tally, point)
}

type Count = (tally: Tally, point: SeriesPoint) => void

const COUNTS: Readonly<Record<ObjectiveKind, Readonly<Record<string, Count>>>> = {
  latency: {
    [SINCE_DUE]: ({ most }, point) => addPart(most, toHistogramPart(point)),
    dropped_iterations: ({ most }, { sum }) => addInfinite(most, sum),
  },
  errors: {
    http_req_failed: (tally, { count, sum }) => addShare(tally, count, sum),
  },
  'rate-limited': {
    [SINCE_DUE]: (tally, { count, tags }) => addShare(tally, count, tags.status === REFUSED ? count : 0),
  },
  dropped: {
    iterations: (tally, { sum }) => addShare(tally, sum, 0),
    dropped_iterations: (tally, { sum }) => addShare(tally, sum, sum),
  },
  'feed-delay': {
    [FEED_DELAY_LOWER_BOUND]: ({ least }, point) => addPart(least, toHistogramPart(point)),
    [FEED_DELAY_UPPER_BOUND]: ({ most }, point) => addPart(most, toHistogramPart(point)),
  },
  synchronize: {
    [FEED_SYNCHRONIZE]: ({ most }, point) => addPart(most, toHistogramPart(point)),
    [FEED_SOCKETS]: ({ most }, { tags, sum }) => {
      if (tags.outcome !== 'served') addInfinite(most, sum)
    },
  },
  recover: {
    [FEED_RECOVERY]: ({ most }, point) => addPart(most, toHistogramPart(point)),
    [FEED_UNRECOVERED]: ({ most }, { sum }) => addInfinite(most, sum),
  },
}

export const METRICS_COUNTED: readonly string[] = Object.values(COUNTS).flatMap((counts) =>
  Object.keys(counts),
)

export const REFUSED = '429'

/** Dropped iterations have no group, because their route is unknown: they count only for all requests. */
function isInGroup(objective: Objective, { tags }: SeriesPoint): boolean {
  if (!('routeGroup' in objective) || objective.routeGroup === ALL_ROUTES) return true
  return tags.route_group === objective.routeGroup
}

function addShare(tally: Tally, samples: number, bad: number): void {
  tally.samples += samples
  tally.bad += bad
}

/** Only a feed delay needs two histograms. */
function createTally(objective: Objective): Tally {
  const most = createHistogram()
  const least = getObjectiveKind(objective) === 'feed-delay' ? createHistogram() : most
  return { samples: 0, bad: 0, least, most }
}
