import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'

/** What windows hold, and how many there may be. */
export type WindowKind<Content> = {
  windowsMax: number
  create: () => Content
  /** Adds what a window holds to another. */
  join: (into: Content, from: Content) => void
}

/** A run in windows of equal width. A window's index is its start in Unix seconds over the width. */
export type Windows<Content> = {
  kind: WindowKind<Content>
  /** The width. */
  seconds: number
  byIndex: Map<number, Content>
}

/** Unix seconds: the first and the last that hold anything. */
export type Span = { firstSecond: number; lastSecond: number }

/** None yet, a second wide. */
export function createWindows<Content>(kind: WindowKind<Content>): Windows<Content> {
  return { kind, seconds: 1, byIndex: new Map() }
}

/**
 * The window of a second. Where that makes one window too many, all are joined two by two first: so the memory that a run
 * takes does not grow with its length.
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

/** In place: of each two the first takes in the other, as what is read holds thousands of them. */
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

/** The same run in windows `factor` times as wide. */
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

/** How many seconds of a window lie within the run: fewer than its width at either end. */
export function secondsCovered(
  windowSeconds: number,
  index: number,
  { firstSecond, lastSecond }: Span,
): number {
  const start = Math.max(index * windowSeconds, firstSecond)
  const end = Math.min((index + 1) * windowSeconds, lastSecond + 1)
  return end - start
}

/** The requests of one window of time; dropped iterations count in its latency as infinite. */
export type RequestWindow = { latency: Histogram; requests: number; failed: number; dropped: number }

/** As many points as a line of a chart may have: an hour has one for each 4 s. */
export const REQUEST_WINDOWS: WindowKind<RequestWindow> = {
  windowsMax: 1200,
  create: createRequestWindow,
  join: joinRequests,
}

/** Requests by route group. */
export type GroupWindow = Map<string, RequestWindow>

/** Coarser, as there are many groups: an hour has a point for each 16 s. */
export const GROUP_WINDOWS: WindowKind<GroupWindow> = {
  windowsMax: 300,
  create: () => new Map(),
  join(into, from) {
    for (const [name, window] of from) joinRequests(groupIn(into, name), window)
  },
}

/** The group's own part of a window. */
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

/** What came of the live feed in one window of time. */
export type FeedWindow = {
  /** Delays of events in ms, as little and as much as they may have been; from opening a socket to its synchronize. */
  trends: Record<(typeof FEED_TRENDS)[number], Histogram>
  /** Sockets that were opened; of a mix by what came of them; messages that came. */
  counts: Record<(typeof FEED_COUNTS)[number], number>
}

export const FEED_TRENDS = ['least', 'most', 'synchronize'] as const
export const FEED_COUNTS = ['opened', 'served', 'mute', 'refused', 'received'] as const

export const FEED_WINDOWS: WindowKind<FeedWindow> = {
  windowsMax: 300,
  create: () => ({
    trends: { least: createHistogram(), most: createHistogram(), synchronize: createHistogram() },
    counts: { opened: 0, served: 0, mute: 0, refused: 0, received: 0 },
  }),
  join(into, from) {
    for (const name of FEED_TRENDS) mergeInto(into.trends[name], from.trends[name])
    for (const name of FEED_COUNTS) into.counts[name] += from.counts[name]
  },
}
