import type { MixTime } from '../../../contract/mix.ts'

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
  // By index: in k6, to begin a loop over values costs more than going through all of these.
  let total = 0
  for (let index = 0; index < choices.length; index++) total += choices[index]?.weight ?? 0
  let left = total * random()
  for (let index = 0; index < choices.length; index++) {
    left -= choices[index]?.weight ?? 0
    if (left < 0) return choices[index] as Choice // as: there is one
  }
  return choices[choices.length - 1] as Choice // as: there is one
}

/** The sums of n^-skew up to each n, as they were needed last: clients of a VU pick out of the same pools. */
let ranks: { count: number; skew: number; sums: number[] } = { count: 0, skew: 0, sums: [] }

/** An index below `count`: the first most often, the n-th in proportion to n^-skew (Zipf); with 0 each as often. */
export function pickRank(count: number, skew: number, random: Random): number {
  if (skew === 0) return Math.min(count - 1, Math.floor(count * random()))
  if (ranks.count !== count || ranks.skew !== skew) ranks = { count, skew, sums: sumsOf(count, skew) }
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

function sumsOf(count: number, skew: number): number[] {
  const sums: number[] = []
  let total = 0
  for (let rank = 1; rank <= count; rank++) {
    total += rank ** -skew
    sums.push(total)
  }
  return sums
}

/** Box and Muller's method: the mean is 0, the deviation 1. */
function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
