import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { drawPriceUsd, moveMarket, type Outside, openMarket, priceUsdOf, quoteToken } from './market.ts'
import { DAY_MS } from './price-process.ts'

/** Figures are the same in every run: the seed is fixed. Bands are four standard errors. */
const BAND = 4
const ONE = { volatilityMultiplier: 1, trendPerDay: 0, meanHours: 8 }

const RULES: WorldFixture['market'] = {
  regimes: { quiet: ONE, trending: ONE, turbulent: ONE },
  common: { volatilityPerDay: 0.03, jumpsPerDay: 0, jumpDeviation: 0 },
  own: { volatilityPerDay: 0.04, jumpsPerDay: 0, jumpDeviation: 0 },
  beta: { min: 1.5, max: 1.5 },
  firstPriceUsd: { min: 0.01, max: 100 },
}

function marketOf(rules: WorldFixture['market'], tokens: readonly string[]): Outside {
  const stream = createRandom(5).stream('market')
  const market = openMarket(rules, stream, { stableId: 'USD', nowMs: 0 })
  const outside = { market, rules, stream }
  for (const token of tokens) quoteToken(outside, token, 2)
  return outside
}

/** The logarithmic return of each token over each step. */
function returnsOf(outside: Outside, tokens: readonly string[], options: { steps: number; stepMs: number }) {
  const logs = () => tokens.map((token) => Math.log(priceUsdOf(outside, token)))
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
  const returns = returnsOf(marketOf(RULES, ['A']), ['A'], { steps, stepMs: 60_000 })
  const variance = returns.reduce((sum, [change = 0]) => sum + change ** 2, 0) / steps / (60_000 / DAY_MS)
  const expected = 0.04 ** 2 + (1.5 * 0.03) ** 2
  // Of n normal draws a variance has the relative standard error √(2/n).
  expect(Math.abs(variance / expected - 1)).toBeLessThan(BAND * Math.sqrt(2 / steps))
})

test.each([
  ['by beta and volatility', RULES, 1.5 ** 2 * 0.03 ** 2],
  ['not at all without a common factor', { ...RULES, beta: { min: 0, max: 0 } }, 0],
])('two prices correlate %s', (_, rules, shared) => {
  const steps = 10_000
  const returns = returnsOf(marketOf(rules, ['A', 'B']), ['A', 'B'], { steps, stepMs: DAY_MS / 24 })
  const product = (a: number, b: number) =>
    returns.reduce((sum, changes) => sum + (changes[a] ?? 0) * (changes[b] ?? 0), 0)
  const correlation = product(0, 1) / Math.sqrt(product(0, 0) * product(1, 1))
  // Fisher: the inverse hyperbolic tangent of a correlation has the standard error 1 / √(n - 3).
  const expected = shared / (shared + 0.04 ** 2)
  const distance = Math.abs(Math.atanh(correlation) - Math.atanh(expected))
  expect(distance).toBeLessThan(BAND / Math.sqrt(steps - 3))
})

test('a price looked at seldom has the law of one looked at in every block', () => {
  const steps = 2000
  const outside = marketOf(RULES, ['OFTEN', 'SELDOM'])
  const sums = { OFTEN: 0, SELDOM: 0 }
  const before = { OFTEN: Math.log(2), SELDOM: Math.log(2) }
  for (let day = 1; day <= steps; day++) {
    for (let part = 1; part <= 10; part++) {
      moveMarket(outside, (day - 1 + part / 10) * DAY_MS)
      priceUsdOf(outside, 'OFTEN')
    }
    for (const token of ['OFTEN', 'SELDOM'] as const) {
      // Kept within what amounts can express, so begun anew each day.
      sums[token] += (Math.log(priceUsdOf(outside, token)) - before[token]) ** 2
      quoteToken(outside, token, 2)
    }
  }
  const expected = 0.04 ** 2 + (1.5 * 0.03) ** 2
  for (const sum of Object.values(sums))
    expect(Math.abs(sum / steps / expected - 1)).toBeLessThan(BAND * Math.sqrt(2 / steps))
})

test('looking twice in a block gives the same price, and the stable token stays at a dollar', () => {
  const outside = marketOf(RULES, ['A'])
  expect(priceUsdOf(outside, 'A')).toBe(2)
  moveMarket(outside, DAY_MS)
  const price = priceUsdOf(outside, 'A')
  expect(price).not.toBe(2)
  expect(priceUsdOf(outside, 'A')).toBe(price)
  expect(priceUsdOf(outside, 'USD')).toBe(1)
  expect(() => priceUsdOf(outside, 'Z')).toThrow('no agent has a price for Z')
})

test('a market that was copied goes on as the first one does', () => {
  const rules = { ...RULES, own: { volatilityPerDay: 0.1, jumpsPerDay: 2, jumpDeviation: 0.1 } }
  const outside = marketOf(rules, ['A', 'B'])
  moveMarket(outside, DAY_MS)
  const copy = { rules, market: structuredClone(outside.market), stream: createRandom(6).stream('again') }
  const original = { ...outside, stream: createRandom(6).stream('again') }
  for (const both of [original, copy]) moveMarket(both, 9 * DAY_MS)
  expect(['A', 'B'].map((token) => priceUsdOf(copy, token))).toEqual(
    ['A', 'B'].map((token) => priceUsdOf(original, token)),
  )
  expect(copy.market).toEqual(original.market)
})

test('first prices spread over their range, each order of magnitude as likely', () => {
  const stream = createRandom(1).stream('first')
  const prices = Array.from({ length: 4000 }, () => drawPriceUsd(RULES, stream))
  expect(Math.min(...prices)).toBeGreaterThanOrEqual(0.01)
  expect(Math.max(...prices)).toBeLessThanOrEqual(100)
  // A quarter in each of four decades: a binomial share, its standard error √(3/16 / n).
  const belowDime = prices.filter((price) => price < 0.1).length / prices.length
  expect(Math.abs(belowDime - 0.25)).toBeLessThan(BAND * Math.sqrt(3 / 16 / 4000))
})
