import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { expect, test } from 'vitest'
import { normalTail, planLooks } from './alpha-spending.ts'
import { criticalT } from './compare-means.ts'

test('a plan with one look is the test with a fixed number of pairs', () => {
  const plan = planLooks({ firstLook: 3, maxPairs: 3 })
  expect(plan.nominalLevel(3, 0.05)).toBeCloseTo(0.05, 9)
  expect(plan.levelReached(3, 0.01)).toBeCloseTo(0.01, 5)
})

test('each look spends a part of the false positives: the first as much as its share of the pairs', () => {
  const plan = planLooks({ firstLook: 3, maxPairs: 10 })
  const levels = [3, 4, 5, 7, 10].map((pairs) => Number(plan.nominalLevel(pairs, 0.05).toFixed(5)))
  expect(levels).toEqual([0.015, 0.00872, 0.00891, 0.01064, 0.01392])
})

test('the level reached is the level whose limit the p value meets', () => {
  const plan = planLooks({ firstLook: 3, maxPairs: 20 })
  for (const level of [0.3, 0.05, 0.0012, 1e-6]) {
    for (const pairs of [3, 9, 20]) {
      const reached = plan.levelReached(pairs, plan.nominalLevel(pairs, level))
      expect(reached / level).toBeCloseTo(1, 1)
    }
  }
  expect([0, 1].map((pValue) => plan.levelReached(9, pValue))).toEqual([0, 1])
  expect(plan.levelReached(9, 1e-30)).toBeLessThan(1e-27)
})

test('more pairs at most leave less for each look', () => {
  const atFive = [5, 10, 20, 100].map((maxPairs) =>
    planLooks({ firstLook: 3, maxPairs }).nominalLevel(5, 0.05),
  )
  expect(atFive).toEqual(atFive.toSorted((x, y) => y - x))
})

test('rejects a plan without a look, and a look that is not planned', () => {
  expect(() => planLooks({ firstLook: 3, maxPairs: 2 })).toThrow(new RangeError('no look: 3 pairs of 2'))
  const plan = planLooks({ firstLook: 3, maxPairs: 5 })
  for (const pairs of [2, 6]) {
    expect(() => plan.nominalLevel(pairs, 0.05)).toThrow(new RangeError(`no look after ${pairs} pairs`))
  }
})

test.each([
  [0, 0.5],
  [1.959964, 0.025],
  [-1, 0.841344746],
  [6, 9.8659e-10],
])('a normal value exceeds %f with probability %f', (z, probability) => {
  expect(normalTail(z) / probability).toBeCloseTo(1, 4)
})

/** Equal sides with an estimated variance, which the recursion does not model. Seeded. */
test.each([
  { maxPairs: 20, level: 0.05 },
  { maxPairs: 5, level: 0.05 },
  { maxPairs: 20, level: 0.01 },
])('of equal sides, at most $level are ever significant in $maxPairs pairs', ({ maxPairs, level }) => {
  const plan = planLooks({ firstLook: 3, maxPairs })
  const critical = Array.from({ length: maxPairs + 1 }, (_, pairs) =>
    pairs < 3 ? Number.POSITIVE_INFINITY : criticalT(plan.nominalLevel(pairs, level), 2 * pairs - 2),
  )
  const normal = createNormal(1)
  const trials = 20_000
  let alarms = 0
  for (let trial = 0; trial < trials; trial += 1) {
    const values = drawTValues(maxPairs, normal)
    if (values.some((t, index) => Math.abs(t) > (critical[index + 1] ?? 0))) alarms += 1
  }
  // Three standard errors of the simulation.
  expect(alarms / trials).toBeLessThanOrEqual(level + 3 * Math.sqrt((level * (1 - level)) / trials))
  expect(alarms / trials).toBeGreaterThanOrEqual(level * 0.7)
})

/** Student's t of two equal sides after each pair. */
function drawTValues(pairs: number, normal: () => number): number[] {
  let [sumA, squaresA, sumB, squaresB] = [0, 0, 0, 0]
  return Array.from({ length: pairs }, (_, index) => {
    const [a, b, count] = [normal(), normal(), index + 1]
    sumA += a
    squaresA += a * a
    sumB += b
    squaresB += b * b
    const variance = (squaresA - sumA ** 2 / count + squaresB - sumB ** 2 / count) / (2 * count - 2)
    return (sumB - sumA) / count / Math.sqrt((2 * variance) / count)
  })
}

function createNormal(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  const uniform = () => uniformFloat64(generator)
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}
