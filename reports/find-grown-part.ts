import { addSums, createServerTimes, createSums, type ServerTimes, type Sums } from './series/server-times.ts'

/** The traced requests of one load of a run; rate in iterations per second. */
export type TimedLoad = { rate: number; times: ServerTimes }

/** A part of the target's time that grew with the load. Mean times in ms: [of the lowest loads, of the highest]. */
export type GrownPart = {
  name: string
  /** The highest rate of the lowest loads, and the lowest of the highest. */
  rates: [number, number]
  requests: [number, number]
  partMs: [number, number]
  responseMs: [number, number]
  /** The share of the growth of the response time, at most 1. */
  share: number
}

/** Fewer traced requests say nothing about a mean. */
const REQUESTS_MIN = 30
/** The mean response time at the highest load, relative to the lowest one, that needs an explanation. */
const GROWTH_MIN = 1.5
/** A part that explains less is not what limits the target. */
const SHARE_MIN = 0.5
/** Standard errors between a part at the lowest and at the highest load. */
const ERRORS_MIN = 3
/** A part is within the response, except for rounding. */
const RESPONSE_SHARE_MAX = 1.05
/** By convention the sum of all parts. */
const WHOLE = 'total'

/**
 * Compares the highest loads with the lowest ones, as many of both as have enough traced requests. Returns the part that explains most
 * of the growth of the response time; of several (one contains the other), the one that grew least, because it is the most specific.
 * Returns null without enough evidence.
 */
export function findGrownPart(loads: readonly TimedLoad[]): GrownPart | null {
  const sorted = loads.toSorted((a, b) => a.rate - b.rate)
  const [low, high] = [mergeUntilEnough(sorted), mergeUntilEnough(sorted.toReversed())]
  if (low === null || high === null || low.rate >= high.rate) return null
  const [before, after] = [mean(low.times.timed), mean(high.times.timed)]
  if (!(after >= before * GROWTH_MIN)) return null
  const grown = [...high.times.parts.keys()]
    .filter((name) => name !== WHOLE)
    .map((name) => ({ name, low: perRequest(low.times, name), high: perRequest(high.times, name) }))
    .map((part) => ({ ...part, growthMs: part.high.ms - part.low.ms }))
    .filter(({ high }) => high.ms <= after * RESPONSE_SHARE_MAX)
    .filter(({ growthMs }) => growthMs > (after - before) * SHARE_MIN)
    .filter(({ low, high, growthMs }) => growthMs > ERRORS_MIN * Math.hypot(low.error, high.error))
    .sort((a, b) => a.growthMs - b.growthMs || (a.name < b.name ? -1 : 1))[0]
  if (grown === undefined) return null
  return {
    name: grown.name,
    rates: [low.rate, high.rate],
    requests: [low.times.timed.count, high.times.timed.count],
    partMs: [grown.low.ms, grown.high.ms],
    responseMs: [before, after],
    share: Math.min(1, grown.growthMs / (after - before)),
  }
}

/** Merges the first loads until they have enough requests, and all loads of the last rate. Returns null if all have too few. */
function mergeUntilEnough(loads: readonly TimedLoad[]): TimedLoad | null {
  const merged = createServerTimes()
  let last: number | undefined
  for (const { rate, times } of loads) {
    if (merged.timed.count >= REQUESTS_MIN && rate !== last) break
    last = rate
    addSums(merged.timed, times.timed)
    for (const [name, sums] of times.parts) {
      const part = merged.parts.get(name) ?? createSums()
      merged.parts.set(name, part)
      addSums(part, sums)
    }
  }
  return last === undefined || merged.timed.count < REQUESTS_MIN ? null : { rate: last, times: merged }
}

function mean({ count, sumMs }: Sums): number {
  return sumMs / count
}

/** Mean over all timed requests, with its standard error: a request without the part counts as 0. */
function perRequest({ timed: { count }, parts }: ServerTimes, name: string): { ms: number; error: number } {
  const { sumMs, squares } = parts.get(name) ?? createSums()
  const ms = sumMs / count
  return { ms, error: Math.sqrt(Math.max(0, squares / count - ms ** 2) / count) }
}
