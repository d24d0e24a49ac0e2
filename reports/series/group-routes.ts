import { addInfinite, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import type { FoldedSeries } from './fold-series.ts'

/** All requests of a group of routes. */
export type RouteGroup = {
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
