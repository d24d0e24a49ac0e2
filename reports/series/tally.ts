import {
  FEED_DELAY_LEAST,
  FEED_DELAY_MOST,
  FEED_SOCKETS,
  FEED_SYNCHRONIZE,
  type SeriesPoint,
} from '../../contract/series.ts'
import { kindOf, type Objective, type ObjectiveKind } from '../../contract/slo.ts'
import { addInfinite, addPart, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import type { FoldedSeries } from './fold-series.ts'
import { partOf } from './point.ts'

/** All requests of a group of routes. */
type RouteGroup = {
  routeGroup: string
  latency: Histogram
  judged: number
  failed: number
  refused: number
}

/** The group of all requests: the only one that dropped iterations count in, as nobody knows what they would have asked. */
export const ALL_ROUTES = '*'

/** The groups by name, after the one of all requests. */
export function groupRoutes(series: FoldedSeries): RouteGroup[] {
  const all = createGroup(ALL_ROUTES)
  const byName = new Map<string, RouteGroup>()
  for (const { routeGroup, latency, judged, failed, refused } of series.routes.values()) {
    const group = byName.get(routeGroup) ?? createGroup(routeGroup)
    byName.set(routeGroup, group)
    for (const sums of [all, group]) {
      mergeInto(sums.latency, latency)
      sums.judged += judged
      sums.failed += failed
      sums.refused += refused
    }
  }
  addInfinite(all.latency, series.droppedIterations)
  const groups = [...byName.values()].sort((a, b) => (a.routeGroup < b.routeGroup ? -1 : 1))
  return [all, ...groups]
}

function createGroup(routeGroup: string): RouteGroup {
  return { routeGroup, latency: createHistogram(), judged: 0, failed: 0, refused: 0 }
}

/** What was counted for an objective: shares have `samples` and `bad`, quantiles the histograms. */
export type Tally = {
  samples: number
  bad: number
  /** Both the same, but of a feed delay, which is known at the least and at the most. */
  least: Histogram
  most: Histogram
}

/** All that was counted for an objective, and the same by window, where it is judged by window. */
export type ObjectiveTally = {
  objective: Objective
  kind: ObjectiveKind
  whole: Tally
  windows: {
    seconds: number
    /** Unix seconds: where windows begin, or a whole number of windows before. */
    origin: number
    byIndex: Map<number, Tally>
  } | null
}

/** Nothing counted yet for the objective; its windows begin at `origin`, in Unix seconds. */
export function createObjectiveTally(objective: Objective, origin: number): ObjectiveTally {
  const { windowSeconds } = objective
  return {
    objective,
    kind: kindOf(objective),
    whole: createTally(objective),
    windows: windowSeconds === undefined ? null : { seconds: windowSeconds, origin, byIndex: new Map() },
  }
}

/** Counts a point of the series towards an objective, where it is about that. */
export function countPoint({ objective, kind, whole, windows }: ObjectiveTally, point: SeriesPoint): void {
  const count = COUNTS[kind][point.metric]
  if (count === undefined || !isOfGroup(objective, point)) return
  count(whole, point)
  if (windows === null) return
  const index = Math.floor((point.time - windows.origin) / windows.seconds)
  const tally = windows.byIndex.get(index) ?? createTally(objective)
  windows.byIndex.set(index, tally)
  count(tally, point)
}

type Count = (tally: Tally, point: SeriesPoint) => void

/** By kind and metric. */
const COUNTS: Readonly<Record<ObjectiveKind, Readonly<Record<string, Count>>>> = {
  latency: {
    http_req_duration: ({ most }, point) => addPart(most, partOf(point)),
    dropped_iterations: ({ most }, { sum }) => addInfinite(most, sum),
  },
  errors: {
    http_req_failed: (tally, { count, sum }) => addShare(tally, count, sum),
  },
  refused: {
    http_req_duration: (tally, { count, tags }) =>
      addShare(tally, count, tags.status === REFUSED ? count : 0),
  },
  dropped: {
    iterations: (tally, { sum }) => addShare(tally, sum, 0),
    dropped_iterations: (tally, { sum }) => addShare(tally, sum, sum),
  },
  'feed-delay': {
    [FEED_DELAY_LEAST]: ({ least }, point) => addPart(least, partOf(point)),
    [FEED_DELAY_MOST]: ({ most }, point) => addPart(most, partOf(point)),
  },
  synchronize: {
    [FEED_SYNCHRONIZE]: ({ most }, point) => addPart(most, partOf(point)),
    [FEED_SOCKETS]: ({ most }, { tags, sum }) => {
      if (tags.outcome !== 'served') addInfinite(most, sum)
    },
  },
}

/** The metrics that any objective is about. */
export const METRICS_COUNTED: readonly string[] = Object.values(COUNTS).flatMap((counts) =>
  Object.keys(counts),
)

export const REFUSED = '429'

/** Dropped iterations bear no group, as nobody knows what they would have asked: they count in that of all requests alone. */
function isOfGroup(objective: Objective, { tags }: SeriesPoint): boolean {
  if (!('routeGroup' in objective) || objective.routeGroup === ALL_ROUTES) return true
  return tags.route_group === objective.routeGroup
}

function addShare(tally: Tally, samples: number, bad: number): void {
  tally.samples += samples
  tally.bad += bad
}

/** A feed delay alone is known at the least and at the most. */
function createTally(objective: Objective): Tally {
  const tally = emptyTally()
  return kindOf(objective) === 'feed-delay' ? { ...tally, least: createHistogram() } : tally
}

/** Nothing counted. */
export function emptyTally(): Tally {
  const most = createHistogram()
  return { samples: 0, bad: 0, least: most, most }
}
