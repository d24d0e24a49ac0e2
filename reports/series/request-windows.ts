import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import type { WindowKind } from './windows.ts'

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
