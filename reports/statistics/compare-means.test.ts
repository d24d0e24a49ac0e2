import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareMeans, criticalT, type SideFigures, twoSidedP } from './compare-means.ts'

const CONFIDENCE = 0.95

test('of runs whose seconds are sure it is the test of Student', () => {
  // Variances 1 and 4, of three runs each: t = 3.098 with 4 degrees of freedom.
  const { difference, low, high, pValue } = compare([9, 10, 11], [12, 14, 16])
  expect(difference).toBe(4)
  expect([low, high].map((end) => Number(end.toFixed(3)))).toEqual([0.416, 7.584])
  expect(pValue).toBeCloseTo(0.036278, 6)
})

test('runs that are alike beyond chance are not surer than their seconds', () => {
  const sure = compare([10, 10, 10, 10, 10], [11, 11, 11, 11, 11])
  const unsure = compare([10, 10, 10, 10, 10], [11, 11, 11, 11, 11], 1)
  expect([sure.low, sure.high, sure.pValue]).toEqual([1, 1, 0])
  expect(unsure.low).toBeLessThan(0.7)
  expect(unsure.pValue).toBeGreaterThan(0.0001)
})

test('of a single run a side, all that is known is its seconds', () => {
  const a = { values: [10], variances: [0.5], blocks: 5 }
  const b = { values: [12], variances: [0.5], blocks: 5 }
  const { low, high } = compareMeans({ a, b, confidence: CONFIDENCE })
  // Five blocks each leave 8 degrees of freedom: t = 2.306.
  expect([low, high].map((end) => Number(end.toFixed(3)))).toEqual([-0.306, 4.306])
})

test('a single run beside several is taken to vary as they do', () => {
  const { difference, low, high } = compare([9, 10, 11], [14])
  // A variance of 1 with 2 degrees of freedom: t = 4.303, times the root of 1/3 + 1.
  expect([difference, low, high].map((end) => Number(end.toFixed(3)))).toEqual([4, -0.968, 8.968])
})

test('no difference at all is no evidence, even where nothing varies', () => {
  expect(compare([5, 5], [5, 5])).toEqual({ difference: 0, low: 0, high: 0, pValue: 1 })
})

const sides = fc.record({
  a: fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 }),
  b: fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 }),
  within: fc.double({ min: 0.01, max: 10, noNaN: true }),
})

test('the interval holds the difference, leaves out 0 just where p is below 0.05, and mirrors where sides are changed', () => {
  fc.assert(
    fc.property(sides, ({ a, b, within }) => {
      const there = compare(a, b, within)
      const back = compare(b, a, within)
      expect(there.low).toBeLessThan(there.difference)
      expect(there.high).toBeGreaterThan(there.difference)
      if (Math.abs(there.pValue - 0.05) > 1e-9) {
        expect(there.low > 0 || there.high < 0).toBe(there.pValue < 0.05)
      }
      expect(back.low).toBeCloseTo(-there.high, 9)
      expect(back.pValue).toBeCloseTo(there.pValue, 12)
    }),
    { seed: 1 },
  )
})

function compare(a: readonly number[], b: readonly number[], within = 0) {
  return compareMeans({ a: figures(a, within), b: figures(b, within), confidence: CONFIDENCE })
}

function figures(values: readonly number[], within: number): SideFigures {
  return { values, variances: values.map(() => within), blocks: 5 }
}

/** Of any table of Student's t distribution, two-sided. */
test.each([
  { p: 0.05, degrees: 1, critical: 12.706 },
  { p: 0.05, degrees: 4, critical: 2.776 },
  { p: 0.05, degrees: 10, critical: 2.228 },
  { p: 0.05, degrees: 1e6, critical: 1.96 },
  { p: 0.01, degrees: 3, critical: 5.841 },
  { p: 0.001, degrees: 8, critical: 5.041 },
  { p: 0.1, degrees: 2, critical: 2.92 },
])(
  'with $degrees degrees of freedom, $critical is exceeded with probability $p',
  ({ p, degrees, critical }) => {
    expect(criticalT(p, degrees)).toBeCloseTo(critical, 3)
  },
)

test('with one degree of freedom it is the Cauchy distribution, with two it has a closed form', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1000, noNaN: true }), (t) => {
      expect(twoSidedP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 10)
      expect(twoSidedP(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 10)
    }),
    { seed: 1 },
  )
})

test('a greater value, or more degrees of freedom, is never likelier', () => {
  const degrees = fc.double({ min: 1, max: 200, noNaN: true })
  const value = fc.double({ min: 0, max: 50, noNaN: true })
  fc.assert(
    fc.property(value, value, degrees, degrees, (t, u, v, w) => {
      expect(twoSidedP(Math.max(t, u), v)).toBeLessThanOrEqual(twoSidedP(Math.min(t, u), v) + 1e-12)
      expect(twoSidedP(t, Math.max(v, w))).toBeLessThanOrEqual(twoSidedP(t, Math.min(v, w)) + 1e-12)
      expect(twoSidedP(-t, v)).toBe(twoSidedP(t, v))
    }),
    { seed: 2 },
  )
})

test('the critical value has its probability', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 0.9, noNaN: true }),
      fc.double({ min: 1, max: 100, noNaN: true }),
      (p, degrees) => {
        expect(twoSidedP(criticalT(p, degrees), degrees)).toBeCloseTo(p, 8)
      },
    ),
    { seed: 3 },
  )
})

test('what cannot be told is no evidence, what has no chance at all is all of it', () => {
  expect([twoSidedP(Number.NaN, 4), twoSidedP(Number.POSITIVE_INFINITY, 4), twoSidedP(0, 4)]).toEqual([
    1, 0, 1,
  ])
})
