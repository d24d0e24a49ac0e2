import { createRandom } from '../../../simulator/random.ts'

/** Draws from an exponential distribution; the same seed gives the same values. */
export function exponential(seed: number, mean: number): () => number {
  const random = createRandom(seed).stream('exponential')
  return () => -mean * Math.log(1 - random.float())
}

/** Arrivals of a Poisson process, in seconds. */
export function drawArrivals(options: { perSecond: number; seconds: number; seed: number }): number[] {
  const { perSecond, seconds, seed } = options
  const draw = exponential(seed, 1 / perSecond)
  const arrivals = [0]
  for (let at = draw(); at < seconds; at += draw()) arrivals.push(at)
  return arrivals
}

/** The times that the given arrivals spend in a queue with one server (the waiting time follows from that of the one before), in ms. */
export function computeSojourns(arrivals: readonly number[], serviceMs: () => number): number[] {
  let freeAtMs = 0
  return arrivals.map((arrival) => {
    freeAtMs = Math.max(freeAtMs, arrival * 1000) + serviceMs()
    return freeAtMs - arrival * 1000
  })
}

/** Evenly spaced requests to a server that takes `serviceMs` for each, and stops for a while. */
export type Stall = {
  perSecond: number
  seconds: number
  stopAt: number
  stopSeconds: number
  serviceMs: number
}

/** The times that these requests take, in ms. */
export function computeStalled({ perSecond, seconds, stopAt, stopSeconds, serviceMs }: Stall): number[] {
  const endAt = stopAt + stopSeconds
  return Array.from({ length: Math.round(perSecond * seconds) }, (_, index) => {
    const at = index / perSecond
    if (at + serviceMs / 1000 <= stopAt || at >= endAt) return serviceMs
    // A request that was read before is done when the server continues.
    return (endAt - at) * 1000 + (at < stopAt ? 0 : serviceMs)
  })
}

/** The percentile of values as Breakwater defines it for histograms: the value of the sample with this rank. */
export function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? Number.NaN
}
