import fc from 'fast-check'
import { expect, test } from 'vitest'
import { criticalT, twoSidedP } from './student-t.ts'

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
