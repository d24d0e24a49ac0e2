import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** A queue of one server, which goes on from trial to trial. */
export type Target = {
  /** Served in a second, on average. */
  serviceRate: number
  service: 'constant' | 'exponential'
  /** Stops now and then, as for garbage: so many times a minute, for so long. */
  pausesPerMinute?: number
  pauseSeconds?: number
  /** The share of trials in which a neighbour takes half of the machine. */
  disturbedShare?: number
  /** The share of requests that are answered with 503. */
  errorShare?: number
  /** Whether it works off what was asked by clients that have gone. */
  keepsAbandoned?: boolean
}

export type Offered = { rate: number; warmUpSeconds: number; seconds: number; vusMax: number }

/** A client that was served: when it came, counted from the start of the load, and how long it took. */
export type Arrival = { atSeconds: number; tookSeconds: number; isError: boolean }

export type Served = { arrivals: Arrival[]; droppedAt: number[] }

export type SimulatedTarget = { serve(offered: Offered): Served; rest(seconds: number): void }

/** Offers loads to a simulated target, one after another. All chance comes from the seed. */
export function createSimulatedTarget(target: Target, seed: number): SimulatedTarget {
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b9))
  const random = () => uniformFloat64(generator)
  // The first numbers of seeds that are near to each other are near to each other.
  for (let index = 0; index < 16; index += 1) random()
  const exponential = (mean: number) => -mean * Math.log(1 - random())
  const { pausesPerMinute = 0, pauseSeconds = 0.5, disturbedShare = 0, errorShare = 0 } = target
  const betweenPauses = 60 / pausesPerMinute
  let now = 0
  let freeAt = 0
  let nextPause = pausesPerMinute === 0 ? Number.POSITIVE_INFINITY : exponential(betweenPauses)

  function serveOne(at: number, slowness: number): number {
    const mean = slowness / target.serviceRate
    let begin = Math.max(at, freeAt)
    while (begin >= nextPause) {
      begin = Math.max(begin, nextPause + pauseSeconds)
      nextPause += pauseSeconds + exponential(betweenPauses)
    }
    freeAt = begin + (target.service === 'constant' ? mean : exponential(mean))
    return freeAt
  }

  return {
    rest(seconds) {
      now += seconds
    },
    serve({ rate, warmUpSeconds, seconds, vusMax }) {
      const slowness = random() < disturbedShare ? 2 : 1
      const lasts = warmUpSeconds + seconds
      const served: Served = { arrivals: [], droppedAt: [] }
      const ends: number[] = []
      for (let index = 0; index / rate < lasts; index += 1) {
        const atSeconds = index / rate
        while (ends.length > 0 && (ends[0] ?? 0) <= now + atSeconds) ends.shift()
        if (ends.length >= vusMax) {
          served.droppedAt.push(atSeconds)
          continue
        }
        const end = serveOne(now + atSeconds, slowness)
        ends.push(end)
        served.arrivals.push({
          atSeconds,
          tookSeconds: end - now - atSeconds,
          isError: random() < errorShare,
        })
      }
      now += lasts
      if (target.keepsAbandoned !== true) freeAt = Math.min(freeAt, now)
      return served
    },
  }
}
