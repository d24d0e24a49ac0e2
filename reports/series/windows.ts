import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'

export type WindowKind<Content> = {
  windowsMax: number
  create: () => Content
  join: (into: Content, from: Content) => void
}

/** Windows of equal width. The index of a window is its start in Unix seconds divided by the width. */
export type Windows<Content> = {
  kind: WindowKind<Content>
  seconds: number
  byIndex: Map<number, Content>
}

export type Span = { firstSecond: number; lastSecond: number }

export function createWindows<Content>(kind: WindowKind<Content>): Windows<Content> {
  return { kind, seconds: 1, byIndex: new Map() }
}

/**
 * The window of a second. If that needs one window too many, windows are joined in pairs first, so that memory does
 * not grow with the length of the run.
 */
export function windowAt<Content>(windows: Windows<Content>, second: number): Content {
  for (;;) {
    const index = Math.floor(second / windows.seconds)
    const found = windows.byIndex.get(index)
    if (found !== undefined) return found
    if (windows.byIndex.size < windows.kind.windowsMax) {
      const made = windows.kind.create()
      windows.byIndex.set(index, made)
      return made
    }
    joinByTwo(windows)
  }
}

/** In place, because thousands of these are held while reading. */
function joinByTwo<Content>(windows: Windows<Content>): void {
  const byIndex = new Map<number, Content>()
  for (const [index, window] of windows.byIndex) {
    const wideIndex = Math.floor(index / 2)
    const first = byIndex.get(wideIndex)
    if (first === undefined) byIndex.set(wideIndex, window)
    else windows.kind.join(first, window)
  }
  windows.seconds *= 2
  windows.byIndex = byIndex
}

export function widened<Content>(windows: Windows<Content>, factor: number): Windows<Content> {
  const { kind } = windows
  const byIndex = new Map<number, Content>()
  for (const [index, window] of windows.byIndex) {
    const wideIndex = Math.floor(index / factor)
    let wide = byIndex.get(wideIndex)
    if (wide === undefined) {
      wide = kind.create()
      byIndex.set(wideIndex, wide)
    }
    kind.join(wide, window)
  }
  return { kind, seconds: windows.seconds * factor, byIndex }
}

/** Seconds of a window within the run: fewer than its width at both ends. */
export function secondsCovered(
  windowSeconds: number,
  index: number,
  { firstSecond, lastSecond }: Span,
): number {
  const start = Math.max(index * windowSeconds, firstSecond)
  const end = Math.min((index + 1) * windowSeconds, lastSecond + 1)
  return end - start
}

/** Dropped iterations count as infinite latency. */
export type RequestWindow = { latency: Histogram; requests: number; failed: number; dropped: number }

/** The maximum for a line of a chart: an hour has a point per 4 s. */
export const REQUEST_WINDOWS: WindowKind<RequestWindow> = {
  windowsMax: 1200,
  create: createRequestWindow,
  join: joinRequests,
}

export type GroupWindow = Map<string, RequestWindow>

/** Coarser, because there are many groups: an hour has a point per 16 s. */
export const GROUP_WINDOWS: WindowKind<GroupWindow> = {
  windowsMax: 300,
  create: () => new Map(),
  join(into, from) {
    for (const [name, window] of from) joinRequests(groupIn(into, name), window)
  },
}

export function groupIn(groups: GroupWindow, name: string): RequestWindow {
  const found = groups.get(name)
  if (found !== undefined) return found
  const made = createRequestWindow()
  groups.set(name, made)
  return made
}

function createRequestWindow(): RequestWindow {
  return { latency: createHistogram(), requests: 0, failed: 0, dropped: 0 }
}

function joinRequests(into: RequestWindow, from: RequestWindow): void {
  mergeInto(into.latency, from.latency)
  into.requests += from.requests
  into.failed += from.failed
  into.dropped += from.dropped
}

export type FeedWindow = {
  /** Lower and upper bounds of event delays in ms; ms from opening a socket to its synchronize. */
  trends: Record<(typeof FEED_TRENDS)[number], Histogram>
  /** Opened sockets, sockets of a mix by outcome, and received messages. */
  counts: Record<(typeof FEED_COUNTS)[number], number>
}

export const FEED_TRENDS = ['least', 'most', 'synchronize'] as const
export const FEED_COUNTS = ['opened', 'served', 'unresponsive', 'rejected', 'received'] as const

export const FEED_WINDOWS: WindowKind<FeedWindow> = {
  windowsMax: 300,
  create: () => ({
    trends: { least: createHistogram(), most: createHistogram(), synchronize: createHistogram() },
    counts: { opened: 0, served: 0, unresponsive: 0, rejected: 0, received: 0 },
  }),
  join(into, from) {
    for (const name of FEED_TRENDS) mergeInto(into.trends[name], from.trends[name])
    for (const name of FEED_COUNTS) into.counts[name] += from.counts[name]
  },
}
