import type { MixTime } from '../../contract/mix.ts'

type Random = () => number

/** Seconds, drawn anew. */
export function drawSeconds(time: MixTime, random: Random): number {
  if (time.distribution === 'constant') return time.seconds
  if (time.distribution === 'uniform') {
    return time.minSeconds + (time.maxSeconds - time.minSeconds) * random()
  }
  if (time.distribution === 'exponential') return -time.meanSeconds * Math.log(1 - random())
  return time.medianSeconds * Math.exp(time.spread * drawNormal(random))
}

const CANDIDATES = 32

/**
 * What is left of the life of a client that is met at any moment: long lives are met more often than short ones, each
 * somewhere between its beginning and its end (the inspection paradox). Picked by length from a few lives.
 */
export function drawRestSeconds(time: MixTime, random: Random): number {
  const lives = Array.from({ length: CANDIDATES }, () => ({ weight: drawSeconds(time, random) }))
  return pickByWeight(lives, random).weight * random()
}

/** One of them, each as often as its weight says. There must be one at least. */
export function pickByWeight<Choice extends { weight: number }>(
  choices: readonly Choice[],
  random: Random,
): Choice {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = total * random()
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  return choices[choices.length - 1] as Choice // as: there is one
}

/** An index below `count`: the first most often, the n-th in proportion to n^-skew (Zipf); with 0 each as often. */
export function pickRank(count: number, skew: number, random: Random): number {
  if (skew === 0) return Math.min(count - 1, Math.floor(count * random()))
  let total = 0
  for (let rank = 1; rank <= count; rank++) total += rank ** -skew
  let left = total * random()
  for (let rank = 1; rank <= count; rank++) {
    left -= rank ** -skew
    if (left < 0) return rank - 1
  }
  return count - 1
}

/** Box and Muller's method: the mean is 0, the deviation 1. */
function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
