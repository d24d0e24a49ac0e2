import type { Histogram } from '../statistics/histogram.ts'
import { createHistogram, mergeInto } from '../statistics/histogram.ts'

/** What happened in one window of time. */
export type Window = { latency: Histogram; requests: number; failed: number; dropped: number }

/** A run in windows of equal width. A window's index is its start in Unix seconds over the width. */
export type Windows = {
  /** The width. */
  seconds: number
  byIndex: Map<number, Window>
  /** Unix seconds: the first and the last that hold anything. */
  firstSecond: number
  lastSecond: number
}

/** As many points as a line of a chart may have. */
export const WINDOWS_MAX = 1200

export function createWindows(): Windows {
  return {
    seconds: 1,
    byIndex: new Map(),
    firstSecond: Number.POSITIVE_INFINITY,
    lastSecond: Number.NEGATIVE_INFINITY,
  }
}

/**
 * The window of a second. Where that makes one window too many, all are joined two by two first: so the memory that a run
 * takes does not grow with its length.
 */
export function windowAt(windows: Windows, second: number): Window {
  windows.firstSecond = Math.min(windows.firstSecond, second)
  windows.lastSecond = Math.max(windows.lastSecond, second)
  for (;;) {
    const index = Math.floor(second / windows.seconds)
    const found = windows.byIndex.get(index)
    if (found !== undefined) return found
    if (windows.byIndex.size < WINDOWS_MAX) {
      const made = createWindow()
      windows.byIndex.set(index, made)
      return made
    }
    Object.assign(windows, widened(windows, 2))
  }
}

/** The same run in windows `factor` times as wide. */
export function widened(windows: Windows, factor: number): Windows {
  const byIndex = new Map<number, Window>()
  for (const [index, window] of windows.byIndex) {
    const wideIndex = Math.floor(index / factor)
    const wide = byIndex.get(wideIndex) ?? createWindow()
    byIndex.set(wideIndex, wide)
    mergeInto(wide.latency, window.latency)
    wide.requests += window.requests
    wide.failed += window.failed
    wide.dropped += window.dropped
  }
  return { ...windows, seconds: windows.seconds * factor, byIndex }
}

/** How many seconds of a window lie within the run: fewer than its width at either end. */
export function secondsCovered(windows: Windows, index: number): number {
  const start = Math.max(index * windows.seconds, windows.firstSecond)
  const end = Math.min((index + 1) * windows.seconds, windows.lastSecond + 1)
  return end - start
}

function createWindow(): Window {
  return { latency: createHistogram(), requests: 0, failed: 0, dropped: 0 }
}
