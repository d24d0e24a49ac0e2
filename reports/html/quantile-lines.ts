import type { LatencyMs } from '../../contract/report.ts'
import { type Windows, widened } from '../series/windows.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { samplesNeeded } from '../statistics/quantile-support.ts'
import { quantilesOf } from '../statistics/quantiles.ts'

/** A quantile over time: a value for each window that was asked for, null where nothing supports one. */
export type QuantileLine = { quantile: number; windowSeconds: number; values: (number | null)[] }

/** A line of fewer points shows no course of things. */
const POINTS_MIN = 4

/**
 * Quantiles over the windows with these indexes, by rising quantile. Where a window has too few samples for a quantile, its
 * line takes windows 2, 4, 8 … times as wide, until most have enough; one that never has is left out.
 */
export function quantileLines<Content>(options: {
  windows: Windows<Content>
  indexes: readonly number[]
  quantiles: readonly number[]
  /** Unix seconds at which another load begins: no window reaches across. */
  bounds: readonly number[]
  latencyOf: (window: Content) => Histogram
}): QuantileLine[] {
  const { windows, indexes, quantiles, bounds, latencyOf } = options
  const placeOf = apartAt(bounds.map((second) => Math.ceil(second / windows.seconds)))
  const lines: QuantileLine[] = []
  let wide = {
    ...windows,
    byIndex: new Map([...windows.byIndex].map(([index, window]) => [placeOf(index), window])),
  }
  let left = [...quantiles]
  for (let factor = 1; factor < PART && left.length > 0 && wide.byIndex.size >= POINTS_MIN; factor *= 2) {
    const latencies = measured(wide, latencyOf)
    const drawn = left.filter((quantile) => supportsMost(latencies, quantile))
    left = left.filter((quantile) => !drawn.includes(quantile))
    const byIndex = new Map([...latencies].map(([index, latency]) => [index, supported(latency, drawn)]))
    for (const [place, quantile] of drawn.entries()) {
      const values = indexes.map((index) =>
        windows.byIndex.has(index)
          ? (byIndex.get(Math.floor(placeOf(index) / factor))?.[place] ?? null)
          : null,
      )
      lines.push({ quantile, windowSeconds: wide.seconds, values })
    }
    wide = widened(wide, 2)
  }
  return lines.sort((a, b) => a.quantile - b.quantile)
}

/** Further than any window is wide, and a power of two: indexes that far apart are never joined. */
const PART = 2 ** 20

/** Indexes of windows as they are, but those behind a bound further on, so that a wider window begins at it. */
function apartAt(bounds: readonly number[]): (index: number) => number {
  if (bounds.length === 0) return (index) => index
  const rising = [...bounds].sort((a, b) => a - b)
  return (index) => {
    const part = rising.findLastIndex((bound) => bound <= index)
    return part === -1 ? index : (part + 1) * PART * PART + index - (rising[part] ?? 0)
  }
}

function measured<Content>(
  windows: Windows<Content>,
  latencyOf: (window: Content) => Histogram,
): Map<number, Histogram> {
  const latencies = new Map<number, Histogram>()
  for (const [index, window] of windows.byIndex) {
    const latency = latencyOf(window)
    if (latency.count > 0) latencies.set(index, latency)
  }
  return latencies
}

function supportsMost(latencies: ReadonlyMap<number, Histogram>, quantile: number): boolean {
  const needed = samplesNeeded(quantile)
  let supports = 0
  for (const { count } of latencies.values()) if (count >= needed) supports += 1
  return latencies.size >= POINTS_MIN && supports * 2 > latencies.size
}

function supported(latency: Histogram, quantiles: readonly number[]): (number | null)[] {
  const values = quantilesOf(latency, quantiles) ?? []
  return quantiles.map((quantile, place) =>
    latency.count >= samplesNeeded(quantile) ? drawable(values[place] ?? null) : null,
  )
}

/** An infinite quantile cannot be drawn: a gap, and the line of dropped iterations says why. */
export function drawable(latencyMs: LatencyMs): number | null {
  if (latencyMs === null || latencyMs === 'infinite' || !Number.isFinite(latencyMs)) return null
  return Number(latencyMs.toPrecision(4))
}
