import { figure } from '../objective-text.ts'
import { secondsCovered, type Window, type Windows, widened } from '../series/windows.ts'
import { samplesNeeded, supportedQuantile } from '../statistics/quantile-support.ts'

/** A line of a chart; null where nothing supports a value. */
export type ChartLine = { label: string; values: (number | null)[] }

export type ChartData = {
  /** Seconds that a point stands for. */
  windowSeconds: number
  /** Seconds since the first point. */
  seconds: number[]
  /** Milliseconds. Quantiles that no window supports are left out. */
  latency: ChartLine[]
  /** A second. */
  rates: ChartLine[]
}

const QUANTILES = [
  { quantile: 0.5, name: 'p50' },
  { quantile: 0.95, name: 'p95' },
  { quantile: 0.99, name: 'p99' },
]

/** A line of fewer points shows no course of things. */
const POINTS_MIN = 4

/** What the charts of a run draw, or undefined where nothing was measured. */
export function chartData(windows: Windows): ChartData | undefined {
  const indexes = indexesWithGaps([...windows.byIndex.keys()].sort((a, b) => a - b))
  const first = indexes[0]
  if (first === undefined) return undefined
  const perSecond = (label: string, countOf: (window: Window) => number): ChartLine => ({
    label,
    values: indexes.map((index) => rateOf(windows, index, countOf)),
  })
  return {
    windowSeconds: windows.seconds,
    seconds: indexes.map((index) => (index - first) * windows.seconds),
    latency: [
      ...QUANTILES.flatMap((row) => quantileLine(windows, indexes, row)),
      { label: 'max', values: indexes.map((index) => maxOf(windows.byIndex.get(index))) },
    ],
    rates: [
      perSecond('requests', (window) => window.requests),
      perSecond('failed', (window) => window.failed),
      perSecond('dropped', (window) => window.dropped),
    ],
  }
}

/** After a window without a successor stands an empty one, so that no line is drawn across what was not measured. */
function indexesWithGaps(indexes: readonly number[]): number[] {
  return indexes.flatMap((index, position) => {
    const next = indexes[position + 1]
    return next === undefined || next === index + 1 ? [index] : [index, index + 1]
  })
}

/**
 * Where a window has too few samples for a quantile, the line takes windows 2, 4, 8 … times as wide, until most have enough,
 * and says so in its label.
 */
function quantileLine(
  windows: Windows,
  indexes: readonly number[],
  { quantile, name }: { quantile: number; name: string },
): ChartLine[] {
  for (let factor = 1; ; factor *= 2) {
    const wide = widened(windows, factor)
    if (wide.byIndex.size < POINTS_MIN) return []
    if (!supportsMost(wide, quantile)) continue
    const byIndex = new Map(
      [...wide.byIndex].map(([index, { latency }]) => [index, finite(supportedQuantile(latency, quantile))]),
    )
    const values = indexes.map((index) =>
      windows.byIndex.has(index) ? (byIndex.get(Math.floor(index / factor)) ?? null) : null,
    )
    return [{ label: `${name} of ${wide.seconds} s`, values }]
  }
}

function supportsMost(windows: Windows, quantile: number): boolean {
  const needed = samplesNeeded(quantile)
  const supported = [...windows.byIndex.values()].filter(({ latency }) => latency.count >= needed)
  return supported.length * 2 > windows.byIndex.size
}

function maxOf(window: Window | undefined): number | null {
  return window === undefined || window.requests === 0 ? null : finite(window.latency.max)
}

function rateOf(windows: Windows, index: number, countOf: (window: Window) => number): number | null {
  const window = windows.byIndex.get(index)
  return window === undefined ? null : Number(figure(countOf(window) / secondsCovered(windows, index)))
}

/** An infinite quantile cannot be drawn: a gap, and the line of dropped iterations says why. */
function finite(latencyMs: ReturnType<typeof supportedQuantile>): number | null {
  if (latencyMs === null || latencyMs === 'infinite' || !Number.isFinite(latencyMs)) return null
  return Number(latencyMs.toPrecision(4))
}
