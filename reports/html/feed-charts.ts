import type { Course } from '../series/course.ts'
import type { FEED_COUNTS, FEED_TRENDS, FeedWindow, Windows } from '../series/windows.ts'
import { type ChartLine, computeStart, indexesWithGaps, percentileLines, rateLine } from './chart-lines.ts'

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
  const buildLines = (name: (typeof FEED_COUNTS)[number], label: string = name) =>
    hasCounts(windows, name)
      ? [
          rateLine({
            label,
            getCount: ({ counts }: FeedWindow) => counts[name],
            windows,
            indexes,
            span: course,
          }),
        ]
      : []
  return {
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => computeStart(index, windows.seconds, course)),
    delay: DELAYS.flatMap(({ trend, quantile, label }) =>
      percentileLines({
        windows,
        indexes,
        quantiles: [quantile],
        bounds,
        getLatency: ({ trends }) => trends[trend],
      }).map(({ windowSeconds, values }) => ({ label: `${label} of ${windowSeconds} s`, values })),
    ),
    sockets: [
      ...buildLines('opened'),
      ...buildLines('served'),
      ...buildLines('unresponsive'),
      ...buildLines('rejected'),
    ],
    messages: buildLines('received', 'messages'),
  }
}

function hasCounts({ byIndex }: Windows<FeedWindow>, name: (typeof FEED_COUNTS)[number]): boolean {
  return [...byIndex.values()].some(({ counts }) => counts[name] > 0)
}
