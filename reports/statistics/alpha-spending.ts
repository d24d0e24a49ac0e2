/**
 * Group sequential tests: a comparison may look at its results after each pair of runs and stop, with the probability of
 * a false positive of a fixed number of runs. Each look spends a part of it (alpha spending, Lan and DeMets 1983).
 */
export type LookPlan = {
  /** Pairs at the first look; one more at each later look. */
  firstLook: number
  maxPairs: number
  /**
   * The p value that a test after `pairs` pairs must fall below if all looks together may have `level` false positives
   * (0.05: 5 %).
   */
  nominalLevel(pairs: number, level: number): number
  /** The smallest `level` that a p value after `pairs` pairs falls below: a p value that stays valid over all looks. */
  levelReached(pairs: number, pValue: number): number
}

/** The levels computed, with interpolation between them. */
const LEVELS = Array.from({ length: 20 }, (_, index) => 0.5 * 10 ** (-index / 2))

/** Throws a RangeError for a plan without a look. */
export function planLooks({ firstLook, maxPairs }: { firstLook: number; maxPairs: number }): LookPlan {
  if (firstLook > maxPairs) throw new RangeError(`no look: ${firstLook} pairs of ${maxPairs}`)
  const tables = new Map<number, readonly number[]>()
  const nominalAt = (pairs: number, level: number) => {
    const table = tables.get(level) ?? nominalLevels({ firstLook, maxPairs, level })
    tables.set(level, table)
    const nominal = table[pairs - firstLook]
    if (nominal === undefined) throw new RangeError(`no look after ${pairs} pairs`)
    return nominal
  }
  return {
    firstLook,
    maxPairs,
    nominalLevel: nominalAt,
    levelReached(pairs, pValue) {
      if (pValue <= 0) return 0
      let above = LEVELS[0] ?? 0.5
      if (pValue >= nominalAt(pairs, above)) return 1
      for (const level of LEVELS.slice(1)) {
        const nominal = nominalAt(pairs, level)
        if (pValue >= nominal) {
          const share = Math.log(pValue / nominal) / Math.log(nominalAt(pairs, above) / nominal)
          return level * (above / level) ** share
        }
        above = level
      }
      // Far below all levels, both change in proportion.
      return (above * pValue) / nominalAt(pairs, above)
    },
  }
}

/**
 * The p value below which a test stops at each look, for normal observations (Armitage, McPherson and Rowe 1969: follows
 * the density of the sum among the tests that have not stopped, from look to look). The first look spends the share of
 * `level` that its pairs are of all pairs, and each later pair an equal part.
 */
function nominalLevels(options: { firstLook: number; maxPairs: number; level: number }): number[] {
  const { firstLook, maxPairs, level } = options
  const nominal: number[] = []
  let going: Density = { low: 0, step: 0, weights: [1] }
  for (let pairs = firstLook; pairs <= maxPairs; pairs += 1) {
    const isFirst = pairs === firstLook
    const deviation = Math.sqrt(isFirst ? firstLook : 1)
    const due = (level / maxPairs) * (isFirst ? firstLook : SPENT_LATER)
    const bound = findBound(going, { deviation, due })
    nominal.push(2 * normalTail(bound / Math.sqrt(pairs)))
    if (pairs < maxPairs) going = advance(going, { deviation, bound })
  }
  return nominal
}

/**
 * Observations have an estimated variance, so the tests at neighboring looks agree less than those of the recursion: up to a
 * third more false positives per look, most of them at the second to sixth. Later looks therefore spend less than their part.
 */
const SPENT_LATER = 0.75

/** The density of the sum at equal steps, times the weight of each step in Simpson's rule. */
type Density = { low: number; step: number; weights: readonly number[] }

/** Step as a share of the deviation of one pair. */
const STEP_MAX = 0.3
/** Beyond this many deviations, the normal density is below 1e-14 and ignored. */
const REACH = 8

function advance(from: Density, { deviation, bound }: { deviation: number; bound: number }): Density {
  const intervals = 2 * Math.ceil(bound / STEP_MAX)
  const step = (2 * bound) / intervals
  const weights = Array.from({ length: intervals + 1 }, (_, index) => {
    const simpson = index === 0 || index === intervals ? 1 : index % 2 === 1 ? 4 : 2
    return (simpson * step * densityAt(from, index * step - bound, deviation)) / 3
  })
  return { low: -bound, step, weights }
}

function densityAt({ low, step, weights }: Density, value: number, deviation: number): number {
  const reach = REACH * deviation
  const first = step === 0 ? 0 : Math.max(0, Math.ceil((value - reach - low) / step))
  const last = step === 0 ? 0 : Math.min(weights.length - 1, Math.floor((value + reach - low) / step))
  let density = 0
  for (let index = first; index <= last; index += 1) {
    const distance = (value - low - index * step) / deviation
    density += (weights[index] ?? 0) * Math.exp(-0.5 * distance * distance)
  }
  return density / (deviation * Math.sqrt(2 * Math.PI))
}

const BISECTIONS = 40

/** The bound that the sum exceeds, above or below, for the first time at this look with probability `due`. */
function findBound(from: Density, { deviation, due }: { deviation: number; due: number }): number {
  let low = 0
  let high = deviation
  while (exceedingShare(from, high, deviation) > due) high *= 2
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2
    if (exceedingShare(from, middle, deviation) > due) low = middle
    else high = middle
  }
  return high
}

/** Twice the share above the bound, because the density is symmetric. */
function exceedingShare({ low, step, weights }: Density, bound: number, deviation: number): number {
  let share = 0
  for (let index = weights.length - 1; index >= 0; index -= 1) {
    const distance = (bound - low - index * step) / deviation
    if (distance > REACH) break
    share += (weights[index] ?? 0) * normalTail(distance)
  }
  return 2 * share
}

/** Probability that a normal value exceeds `z`; relative error below 1.2e-7 (Numerical Recipes, section 6.2). */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  let sum = 0
  for (const coefficient of ERFC) sum = sum * t + coefficient
  const tail = 0.5 * t * Math.exp(-x * x + sum)
  return z >= 0 ? tail : 1 - tail
}

const ERFC = [
  0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
  1.00002368, -1.26551223,
]
