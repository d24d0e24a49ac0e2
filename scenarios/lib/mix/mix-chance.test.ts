import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../../client/time-and-chance.ts'
import type { MixTime } from '../../../contract/mix.ts'
import { meanSeconds } from '../../../contract/mix-time.ts'
import { drawRestSeconds, drawSeconds, pickByWeight, pickRank } from './mix-chance.ts'

const DRAWS = 20_000

function mean(draw: () => number): number {
  let sum = 0
  for (let index = 0; index < DRAWS; index++) sum += draw()
  return sum / DRAWS
}

const TIMES: readonly { time: MixTime; mean: number }[] = [
  { time: { distribution: 'constant', seconds: 3 }, mean: 3 },
  { time: { distribution: 'uniform', minSeconds: 1, maxSeconds: 4 }, mean: 2.5 },
  { time: { distribution: 'exponential', meanSeconds: 5 }, mean: 5 },
  // The mean of a log-normal distribution is the median times e^(sigma²/2).
  { time: { distribution: 'log-normal', medianSeconds: 2, sigma: 0.5 }, mean: 2.266 },
]

test.each(TIMES)('draws $time.distribution with the expected mean', ({ time, mean: expected }) => {
  const random = createRandom(7)
  expect(meanSeconds(time)).toBeCloseTo(expected, 3)
  expect(mean(() => drawSeconds(time, random)) / expected).toBeCloseTo(1, 1)
})

test('a log-normal has half of its draws below the median', () => {
  const random = createRandom(7)
  const time = { distribution: 'log-normal', medianSeconds: 2, sigma: 1 } as const
  expect(mean(() => (drawSeconds(time, random) < 2 ? 1 : 0))).toBeCloseTo(0.5, 1)
})

// Renewal theory: the mean residual is E[L²] / 2E[L], which is the mean for an exponential and half of it for
// a constant.
test.each([
  { time: { distribution: 'constant', seconds: 10 }, rest: 5 },
  { time: { distribution: 'exponential', meanSeconds: 10 }, rest: 10 },
  { time: { distribution: 'uniform', minSeconds: 0, maxSeconds: 12 }, rest: 4 },
] as const)('what is left of a session of $time.distribution length', ({ time, rest }) => {
  const random = createRandom(7)
  expect(mean(() => drawRestSeconds(time, random)) / rest).toBeCloseTo(1, 1)
})

test('picks by weight', () => {
  const random = createRandom(7)
  const choices = [
    { name: 'a', weight: 1 },
    { name: 'b', weight: 3 },
  ]
  expect(mean(() => (pickByWeight(choices, random).name === 'b' ? 1 : 0))).toBeCloseTo(0.75, 1)
  expect(pickByWeight(choices, () => 0.999_999_999_999).name).toBe('b')
})

test.each([
  { skew: 0, first: 0.1 },
  // 1 / (1 + 1/2 + … + 1/10)
  { skew: 1, first: 0.341 },
])('with skew $skew, the first of ten has a share of $first', ({ skew, first }) => {
  const random = createRandom(7)
  expect(mean(() => (pickRank(10, skew, random) === 0 ? 1 : 0))).toBeCloseTo(first, 1)
  expect(pickRank(10, skew, () => 0.999_999_999_999)).toBe(9)
  expect(pickRank(1, skew, random)).toBe(0)
})

test('a rank matches its cumulative weights', () => {
  const counts = fc.integer({ min: 1, max: 40 })
  const skews = fc.constantFrom(0.5, 1, 2)
  fc.assert(
    fc.property(
      counts,
      skews,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (count, skew, draw) => {
        const weights = Array.from({ length: count }, (_, index) => (index + 1) ** -skew)
        const sumTo = (end: number) => weights.slice(0, end).reduce((sum, weight) => sum + weight, 0)
        const rank = pickRank(count, skew, () => draw)
        expect(sumTo(rank)).toBeLessThanOrEqual(sumTo(count) * draw)
        expect(sumTo(rank + 1)).toBeGreaterThan(sumTo(count) * draw)
      },
    ),
  )
})

test('an empty list has nothing to pick', () => {
  expect(pickRank(0, 1, () => 0.5)).toBe(0)
})
