import type { Course } from '../series/course.ts'
import type { FEED_COUNTS, FEED_TRENDS, FeedWindow, Windows } from '../series/windows.ts'
import { type ChartLine, indexesWithGaps, percentileLines, rateLine, startOf } from './chart-lines.ts'

export type FeedCharts = {
  windowSeconds: number
  seconds: number[]
  delay: ChartLine[]
  sockets: ChartLine[]
  messages: ChartLine[]
}

const DELAYS: readonly { trend: (typeof FEED_TRENDS)[number]; quantile: number; label: string }[] = [
  { trend: 'most', quantile: 0.5, label: 'p50 at most' },
  { trend: 'most', quantile: 0.95, label: 'p95 at most' },
  { trend: 'least', quantile: 0.95, label: 'p95 at least' },
  { trend: 'synchronize', quantile: 0.5, label: 'p50 to synchronize' },
]

/** Null if no feed data was measured. `bounds` as in percentileLines. */
export function feedCharts(course: Course, bounds: readonly number[]): FeedCharts | null {
  const { feed: windows } = course
  if (windows.byIndex.size === 0) return null
  const indexes = indexesWithGaps([...windows.byIndex.keys()])
  const lineOf = (name: (typeof FEED_COUNTS)[number], label: string = name) =>
    someOf(windows, name)
      ? [
          rateLine({
            label,
            countOf: ({ counts }: FeedWindow) => counts[name],
            windows,
            indexes,
            span: course,
          }),
        ]
      : []
  return {
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => startOf(index, windows.seconds, course)),
    delay: DELAYS.flatMap(({ trend, quantile, label }) =>
      percentileLines({
        windows,
        indexes,
        quantiles: [quantile],
        bounds,
        latencyOf: ({ trends }) => trends[trend],
      }).map(({ windowSeconds, values }) => ({ label: `${label} of ${windowSeconds} s`, values })),
    ),
    sockets: [...lineOf('opened'), ...lineOf('served'), ...lineOf('unresponsive'), ...lineOf('rejected')],
    messages: lineOf('received', 'messages'),
  }
}

function someOf({ byIndex }: Windows<FeedWindow>, name: (typeof FEED_COUNTS)[number]): boolean {
  return [...byIndex.values()].some(({ counts }) => counts[name] > 0)
}
