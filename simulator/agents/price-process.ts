/**
 * How the logarithm of a price moves: Brownian motion whose volatility and trend depend on a regime (Hamilton 1989),
 * with jumps that come as a Poisson process and are normal in size (Merton 1976). The law is exact whatever the steps:
 * regimes and jumps wait exponentially, and exponential waiting may be begun anew at any moment.
 *
 * The logarithm, not the price, has no drift of its own: after any time half of all prices stand higher. A price without
 * drift (a martingale) would sink towards nothing in nearly every world that runs for long.
 */

import { normal } from '../normal.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

export type Regimes = WorldFixture['market']['regimes']
export type RegimeName = keyof Regimes
/** `volatilityPerDay` and `jumpDeviation` are standard deviations of the logarithm. */
export type Moves = WorldFixture['market']['own']

export type Motion = {
  /** What has been added to the logarithm so far. */
  log: number
  regime: RegimeName
  /** Where a trend goes; drawn whenever a regime begins. */
  direction: 1 | -1
  atMs: number
}

export const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24
const NAMES: readonly RegimeName[] = ['quiet', 'trending', 'turbulent']

/** In each regime with the share of time that it has in the long run, which is in proportion to its mean duration. */
export function openMotion(
  regimes: Regimes,
  stream: RandomStream,
  at: { log: number; atMs: number },
): Motion {
  const hours = NAMES.reduce((sum, name) => sum + regimes[name].meanHours, 0)
  let left = stream.float() * hours
  const regime = NAMES.find((name) => {
    left -= regimes[name].meanHours
    return left < 0
  })
  return { ...at, regime: regime ?? 'turbulent', direction: drawDirection(stream) }
}

/** Moves on to `untilMs`, where it stands before it. Of jump and change of regime the earlier one happens. */
export function advanceMotion(
  motion: Motion,
  {
    regimes,
    moves,
    stream,
    untilMs,
  }: { regimes: Regimes; moves: Moves; stream: RandomStream; untilMs: number },
): void {
  while (motion.atMs < untilMs) {
    const regime = regimes[motion.regime]
    const eventsPerDay = moves.jumpsPerDay + HOURS_PER_DAY / regime.meanHours
    const waitDays = -Math.log(1 - stream.float()) / eventsPerDay
    const leftDays = (untilMs - motion.atMs) / DAY_MS
    const days = Math.min(waitDays, leftDays)
    motion.log +=
      motion.direction * regime.trendPerDay * days +
      moves.volatilityPerDay * regime.volatilityMultiplier * Math.sqrt(days) * normal(stream)
    if (waitDays >= leftDays) {
      motion.atMs = untilMs
    } else {
      motion.atMs += waitDays * DAY_MS
      if (stream.float() * eventsPerDay < moves.jumpsPerDay)
        motion.log += moves.jumpDeviation * normal(stream)
      else changeRegime(motion, stream)
    }
  }
}

/** To one of the other two, each as likely. */
function changeRegime(motion: Motion, stream: RandomStream): void {
  const place = NAMES.indexOf(motion.regime) + stream.int(1, NAMES.length - 1)
  motion.regime = NAMES[place % NAMES.length] ?? 'quiet'
  motion.direction = drawDirection(stream)
}

function drawDirection(stream: RandomStream): 1 | -1 {
  return stream.float() < 0.5 ? 1 : -1
}
