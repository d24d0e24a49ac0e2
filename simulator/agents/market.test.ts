import { describe, expect, test } from 'vitest'
import { createRandom, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import {
  advanceMotion,
  DAY_MS,
  drawPriceUsd,
  getPriceUsd,
  type Moves,
  moveMarket,
  type Outside,
  openMarket,
  openMotion,
  quoteToken,
  type RegimeName,
  type Regimes,
} from './market.ts'

/** Results are the same in every run: the seed is fixed. Tolerances are four standard errors. */
const BAND = 4
const ONE = { volatilityMultiplier: 1, trendPerDay: 0, meanHours: 8 }

const RULES: WorldFixture['market'] = {
  regimes: { quiet: ONE, trending: ONE, turbulent: ONE },
  common: { volatilityPerDay: 0.03, jumpsPerDay: 0, jumpDeviation: 0 },
  own: { volatilityPerDay: 0.04, jumpsPerDay: 0, jumpDeviation: 0 },
  beta: { min: 1.5, max: 1.5 },
  firstPriceUsd: { min: 0.01, max: 100 },
}

function createMarket(rules: WorldFixture['market'], tokens: readonly string[]): Outside {
  const stream = createRandom(5).stream('market')
  const market = openMarket(rules, stream, { stableId: 'USD', nowMs: 0 })
  const outside = { market, rules, stream }
  for (const token of tokens) quoteToken(outside, token, 2)
  return outside
}

function measureReturns(
  outside: Outside,
  tokens: readonly string[],
  options: { steps: number; stepMs: number },
) {
  const logs = () => tokens.map((token) => Math.log(getPriceUsd(outside, token)))
  let before = logs()
  return Array.from({ length: options.steps }, (_, step) => {
    moveMarket(outside, (step + 1) * options.stepMs)
    const after = logs()
    const changes = after.map((log, place) => log - (before[place] ?? 0))
    before = after
    return changes
  })
}

test('a price varies by its own moves, and by its beta times the common ones', () => {
  const steps = 10_000
  const returns = measureReturns(createMarket(RULES, ['A']), ['A'], { steps, stepMs: 60_000 })
  const variance = returns.reduce((sum, [change = 0]) => sum + change ** 2, 0) / steps / (60_000 / DAY_MS)
  const expected = 0.04 ** 2 + (1.5 * 0.03) ** 2
  // The variance of n normal draws has the relative standard error √(2/n).
  expect(Math.abs(variance / expected - 1)).toBeLessThan(BAND * Math.sqrt(2 / steps))
})

test.each([
  ['by beta and volatility', RULES, 1.5 ** 2 * 0.03 ** 2],
  ['not at all without a common factor', { ...RULES, beta: { min: 0, max: 0 } }, 0],
])('two prices correlate %s', (_, rules, shared) => {
  const steps = 10_000
  const returns = measureReturns(createMarket(rules, ['A', 'B']), ['A', 'B'], { steps, stepMs: DAY_MS / 24 })
  const product = (a: number, b: number) =>
    returns.reduce((sum, changes) => sum + (changes[a] ?? 0) * (changes[b] ?? 0), 0)
  const correlation = product(0, 1) / Math.sqrt(product(0, 0) * product(1, 1))
  // Fisher: the inverse hyperbolic tangent of a correlation has the standard error 1 / √(n - 3).
  const expected = shared / (shared + 0.04 ** 2)
  const distance = Math.abs(Math.atanh(correlation) - Math.atanh(expected))
  expect(distance).toBeLessThan(BAND / Math.sqrt(steps - 3))
})

test('a price read rarely has the distribution of one read in every block', () => {
  const steps = 2000
  const outside = createMarket(RULES, ['OFTEN', 'SELDOM'])
  const sums = { OFTEN: 0, SELDOM: 0 }
  const before = { OFTEN: Math.log(2), SELDOM: Math.log(2) }
  for (let day = 1; day <= steps; day++) {
    for (let part = 1; part <= 10; part++) {
      moveMarket(outside, (day - 1 + part / 10) * DAY_MS)
      getPriceUsd(outside, 'OFTEN')
    }
    for (const token of ['OFTEN', 'SELDOM'] as const) {
      // Reset daily: prices are kept within what amounts can express.
      sums[token] += (Math.log(getPriceUsd(outside, token)) - before[token]) ** 2
      quoteToken(outside, token, 2)
    }
  }
  const expected = 0.04 ** 2 + (1.5 * 0.03) ** 2
  for (const sum of Object.values(sums))
    expect(Math.abs(sum / steps / expected - 1)).toBeLessThan(BAND * Math.sqrt(2 / steps))
})

test('reading twice in a block gives the same price, and the stable token stays at a dollar', () => {
  const outside = createMarket(RULES, ['A'])
  expect(getPriceUsd(outside, 'A')).toBe(2)
  moveMarket(outside, DAY_MS)
  const price = getPriceUsd(outside, 'A')
  expect(price).not.toBe(2)
  expect(getPriceUsd(outside, 'A')).toBe(price)
  expect(getPriceUsd(outside, 'USD')).toBe(1)
  expect(() => getPriceUsd(outside, 'Z')).toThrow('no agent has a price for Z')
})

test('a copied market continues like the original', () => {
  const rules = { ...RULES, own: { volatilityPerDay: 0.1, jumpsPerDay: 2, jumpDeviation: 0.1 } }
  const outside = createMarket(rules, ['A', 'B'])
  moveMarket(outside, DAY_MS)
  const copy = { rules, market: structuredClone(outside.market), stream: createRandom(6).stream('again') }
  const original = { ...outside, stream: createRandom(6).stream('again') }
  for (const both of [original, copy]) moveMarket(both, 9 * DAY_MS)
  expect(['A', 'B'].map((token) => getPriceUsd(copy, token))).toEqual(
    ['A', 'B'].map((token) => getPriceUsd(original, token)),
  )
  expect(copy.market).toEqual(original.market)
})

test('first prices spread over their range, each order of magnitude equally likely', () => {
  const stream = createRandom(1).stream('first')
  const prices = Array.from({ length: 4000 }, () => drawPriceUsd(RULES, stream))
  expect(Math.min(...prices)).toBeGreaterThanOrEqual(0.01)
  expect(Math.max(...prices)).toBeLessThanOrEqual(100)
  // A quarter in each of four decades: a binomial share with the standard error √(3/16 / n).
  const belowDime = prices.filter((price) => price < 0.1).length / prices.length
  expect(Math.abs(belowDime - 0.25)).toBeLessThan(BAND * Math.sqrt(3 / 16 / 4000))
})

describe('price process', () => {
  /** Every seed is fixed, so results repeat; tolerances are four standard errors of the estimate, derived in place. */
  const BAND = 4
  const HOUR_MS = DAY_MS / 24
  const ONE = { volatilityMultiplier: 1, trendPerDay: 0, meanHours: 8 }
  const ALIKE: Regimes = { quiet: ONE, trending: ONE, turbulent: ONE }
  const REGIMES: Regimes = {
    quiet: { volatilityMultiplier: 0.5, trendPerDay: 0, meanHours: 18 },
    trending: { volatilityMultiplier: 1, trendPerDay: 0, meanHours: 6 },
    turbulent: { volatilityMultiplier: 3, trendPerDay: 0, meanHours: 2 },
  }
  const SMOOTH: Moves = { volatilityPerDay: 0.04, jumpsPerDay: 0, jumpDeviation: 0 }

  type Walk = { regimes?: Regimes; moves?: Moves; stepMs: number; steps: number; seed?: number }

  /** The change of the logarithm over each step, and the regime at each step's end. */
  function walk({ regimes = ALIKE, moves = SMOOTH, stepMs, steps, seed = 1 }: Walk) {
    const stream = createRandom(seed).stream('walk')
    const motion = openMotion(regimes, stream, { log: 0, atMs: 0 })
    const regimesSeen: RegimeName[] = []
    const changes = Array.from({ length: steps }, (_, step) => {
      const before = motion.log
      advanceMotion(motion, { regimes, moves, stream, untilMs: (step + 1) * stepMs })
      regimesSeen.push(motion.regime)
      return motion.log - before
    })
    return { changes, regimesSeen }
  }

  test.each([
    ['a second', 1000],
    ['a minute', 60_000],
    ['an hour', HOUR_MS],
    ['ten days', 10 * DAY_MS],
  ])('realized volatility matches the configured one, read each %s', (_, stepMs) => {
    const steps = 20_000
    const { changes } = walk({ stepMs, steps })
    const realized = Math.sqrt(computeMean(changes.map((change) => change ** 2)) / (stepMs / DAY_MS))
    // The standard deviation of n normal draws has the relative standard error 1 / √(2n).
    expect(Math.abs(realized / SMOOTH.volatilityPerDay - 1)).toBeLessThan(BAND / Math.sqrt(2 * steps))
    // And of the mean: σ / √n.
    const error = SMOOTH.volatilityPerDay * Math.sqrt(stepMs / DAY_MS / steps)
    expect(Math.abs(computeMean(changes))).toBeLessThan(BAND * error)
  })

  test.each([
    ['an hour', HOUR_MS, 100_000],
    ['a day', DAY_MS, 20_000],
  ])('over regimes volatility averages by their durations, read each %s', (_, stepMs, steps) => {
    const { changes } = walk({ regimes: REGIMES, stepMs, steps })
    const days = stepMs / DAY_MS
    const regimes = Object.values(REGIMES)
    const hours = regimes.reduce((sum, { meanHours }) => sum + meanHours, 0)
    const moment = (power: number) =>
      regimes.reduce(
        (sum, { volatilityMultiplier, meanHours }) =>
          sum + (volatilityMultiplier ** power * meanHours) / hours,
        0,
      )
    const realized = computeMean(changes.map((change) => change ** 2)) / days / SMOOTH.volatilityPerDay ** 2
    // Given the path V of the multiplier squared, a change is normal: its square has variance 2V² ≤ 2 E[m⁴]; the average of V
    // itself has at most 2 Var(m²) / (gap × days), as the chain is reversible, its gap at least Στ / (2 × the two longest τ).
    const gapPerDay = (24 * hours) / (2 * 18 * 6)
    const variance = (2 * moment(4)) / steps + (2 * (moment(4) - moment(2) ** 2)) / (gapPerDay * steps * days)
    expect(Math.abs(realized - moment(2))).toBeLessThan(BAND * Math.sqrt(variance))
    expect(BAND * Math.sqrt(variance)).toBeLessThan(moment(2) / 5)
  })

  test('regimes last their mean duration', () => {
    const steps = 50_000
    const { regimesSeen } = walk({ regimes: REGIMES, stepMs: HOUR_MS, steps })
    const gapPerHour = 26 / (2 * 18 * 6)
    for (const name of ['quiet', 'trending', 'turbulent'] as const) {
      const share = REGIMES[name].meanHours / 26
      const seen = regimesSeen.filter((regime) => regime === name).length / steps
      // As above, for the indicator of a regime.
      const variance = (2 * share * (1 - share)) / (gapPerHour * steps)
      expect(Math.abs(seen - share)).toBeLessThan(BAND * Math.sqrt(variance))
    }
  })

  test('regimes change at their rate', () => {
    const meanHours = 8
    const stepMs = 60_000
    const steps = 500_000
    const { regimesSeen } = walk({ stepMs, steps })
    const changes = regimesSeen.filter((regime, step) => step > 0 && regime !== regimesSeen[step - 1]).length
    // A Poisson count, except that two changes within one minute may cancel: fewer than one in a thousand do.
    const expected = (steps * stepMs) / HOUR_MS / meanHours
    expect(Math.abs(changes - expected)).toBeLessThan(BAND * Math.sqrt(expected) + expected / 500)
  })

  test.each([
    ['a minute', 60_000, 500_000],
    ['an hour', HOUR_MS, 20_000],
  ])('jumps have their rate and size, read each %s', (_, stepMs, steps) => {
    const moves = { volatilityPerDay: 1e-6, jumpsPerDay: 0.5, jumpDeviation: 0.1 }
    const { changes } = walk({ moves, stepMs, steps })
    const jumps = changes.filter((change) => Math.abs(change) > 1e-4)
    const expected = ((steps * stepMs) / DAY_MS) * moves.jumpsPerDay
    // A Poisson count. Fewer than 1 in 1000 of normal draws lie within a thousandth of a deviation; steps of an hour hold
    // two jumps in 1 of 96.
    expect(Math.abs(jumps.length - expected)).toBeLessThan(BAND * Math.sqrt(expected) + expected / 48)
    const deviation = Math.sqrt(computeMean(changes.map((change) => change ** 2)) * (steps / expected))
    // n jumps, n itself Poisson: the sum of squares has variance n E[J⁴] = 3 n s⁴, the root half its relative error.
    expect(Math.abs(deviation / moves.jumpDeviation - 1)).toBeLessThan((BAND * Math.sqrt(3 / expected)) / 2)
  })

  test('a trend keeps its direction until its regime ends, up as often as down', () => {
    const trend = { volatilityMultiplier: 0, trendPerDay: 0.24, meanHours: 50 }
    const regimes: Regimes = { quiet: trend, trending: trend, turbulent: trend }
    const { changes } = walk({ regimes, stepMs: 60_000, steps: 600_000 })
    const perMinute = 0.24 / 1440
    const whole = changes.filter((change) => Math.abs(Math.abs(change) - perMinute) < 1e-12)
    // All except the minutes in which it turned: about one regime in two, of 200 regimes.
    expect(changes.length - whole.length).toBeLessThan(150)
    const up = whole.filter((change) => change > 0).length / whole.length
    // The sign changes at a rate of 1 / (2τ): autocorrelation time τ, so the variance of the mean is 2 p (1 - p) τ / T.
    expect(Math.abs(up - 0.5)).toBeLessThan(BAND * Math.sqrt((2 * 0.25 * 50) / 10_000))
  })

  test('an elapsed time moves nothing', () => {
    const stream = createRandom(1).stream('walk')
    const motion = openMotion(REGIMES, stream, { log: 3, atMs: 1000 })
    const before = { ...motion }
    const silent: RandomStream = { ...stream, float: () => Number.NaN }
    for (const untilMs of [1000, 0])
      advanceMotion(motion, { regimes: REGIMES, moves: SMOOTH, stream: silent, untilMs })
    expect(motion).toEqual(before)
  })

  function computeMean(values: readonly number[]): number {
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
})
