import type { MixTime } from '../../../contract/mix.ts'

type Random = () => number

export function drawSeconds(time: MixTime, random: Random): number {
  if (time.distribution === 'constant') return time.seconds
  if (time.distribution === 'uniform') {
    return time.minSeconds + (time.maxSeconds - time.minSeconds) * random()
  }
  if (time.distribution === 'exponential') return -time.meanSeconds * Math.log(1 - random())
  return time.medianSeconds * Math.exp(time.sigma * drawNormal(random))
}

const CANDIDATES = 32

/**
 * Draws the rest of the session of a client met at a random moment. Long sessions are met more often, at a
 * uniform point (the inspection paradox). Picks by length from a few samples.
 */
export function drawRestSeconds(time: MixTime, random: Random): number {
  const lives = Array.from({ length: CANDIDATES }, () => ({ weight: drawSeconds(time, random) }))
  return pickByWeight(lives, random).weight * random()
}

/** Picks with probability proportional to weight. `choices` must not be empty. */
export function pickByWeight<Choice extends { weight: number }>(
  choices: readonly Choice[],
  random: Random,
): Choice {
  // Indexed loops: in k6, starting a for-of loop costs more than all iterations here.
  let total = 0
  for (let index = 0; index < choices.length; index++) total += choices[index]?.weight ?? 0
  let left = total * random()
  for (let index = 0; index < choices.length; index++) {
    left -= choices[index]?.weight ?? 0
    if (left < 0) return choices[index] as Choice // as: there is one
  }
  return choices[choices.length - 1] as Choice // as: there is one
}

/** Cached cumulative sums of n^-skew; clients of a VU use the same pools. */
let ranks: { count: number; skew: number; sums: number[] } = { count: 0, skew: 0, sums: [] }

/**
 * Draws an index below `count` with probability proportional to (index+1)^-skew (Zipf); uniform if skew is 0.
 */
export function pickRank(count: number, skew: number, random: Random): number {
  if (skew === 0) return Math.min(count - 1, Math.floor(count * random()))
  if (ranks.count !== count || ranks.skew !== skew) ranks = { count, skew, sums: sumWeights(count, skew) }
  const { sums } = ranks
  const wanted = (sums[count - 1] ?? 0) * random()
  let low = 0
  for (let high = count - 1; low < high; ) {
    const middle = (low + high) >> 1
    if (wanted < (sums[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

function sumWeights(count: number, skew: number): number[] {
  const sums: number[] = []
  let total = 0
  for (let rank = 1; rank <= count; rank++) {
    total += rank ** -skew
    sums.push(total)
  }
  return sums
}

/** Box-Muller transform: mean 0, standard deviation 1. */
function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
