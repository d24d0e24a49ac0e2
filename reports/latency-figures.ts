import type { Report } from '../contract/report.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { groupRoutes } from './series/group-routes.ts'
import type { Histogram } from './statistics/histogram.ts'
import { maxOf, supportedQuantile } from './statistics/quantile-support.ts'

/** Latency by group of routes and by route, with each quantile that enough requests support. */
export function latencyFigures(series: FoldedSeries): Report['latency'] {
  return {
    groups: groupRoutes(series).map(({ routeGroup, ...figures }) => ({ routeGroup, ...figuresOf(figures) })),
    routes: [...series.routes.values()]
      .map(({ routeGroup, name, ...figures }) => ({ routeGroup, name, ...figuresOf(figures) }))
      .sort((a, b) => (`${a.routeGroup}\n${a.name}` < `${b.routeGroup}\n${b.name}` ? -1 : 1)),
  }
}

function figuresOf({ latency, failed }: { latency: Histogram; failed: number }) {
  return {
    count: latency.count - latency.infinite,
    failed,
    p50: supportedQuantile(latency, 0.5),
    p95: supportedQuantile(latency, 0.95),
    p99: supportedQuantile(latency, 0.99),
    max: maxOf(latency),
  }
}
