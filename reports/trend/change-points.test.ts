import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { findChangePoints } from './change-points.ts'

const OPTIONS = { alpha: 0.01, permutations: 499, confirmingRuns: 3 }

function changes(values: readonly number[], seed = 1) {
  const distances = values.map((value) => Float64Array.from(values, (other) => Math.abs(value - other)))
  const random = createRandom(seed).stream('orders')
  return findChangePoints(distances, { ...OPTIONS, random: () => random.float() })
}

const noise = [0.1, -0.2, 0.05, 0.15, -0.1, 0, 0.2, -0.15, -0.05, 0.12, -0.08, 0.02]
const level = (runs: number, by: number) => noise.slice(0, runs).map((value) => value + by)

test.each([
  { what: 'no change', values: level(12, 0), expected: [] },
  { what: 'a step', values: [...level(8, 0), ...level(6, 5)], expected: [[8, true]] },
  {
    what: 'a step up and one down',
    values: [...level(8, 0), ...level(8, 5), ...level(8, 0)],
    expected: [
      [8, true],
      [16, true],
    ],
  },
  { what: 'a step three runs ago', values: [...level(12, 0), ...level(3, 5)], expected: [[12, true]] },
  { what: 'a step two runs ago', values: [...level(12, 0), ...level(2, 5)], expected: [[12, false]] },
  {
    what: 'a step three runs ago, after six',
    values: [...level(6, 0), ...level(3, 5)],
    expected: [[6, false]],
  },
  { what: 'a step six runs ago, after six', values: [...level(6, 0), ...level(6, 5)], expected: [[6, true]] },
  { what: 'a strange last run', values: [...level(12, 0), 9], expected: [[12, false]] },
  { what: 'a strange run in between', values: [...level(6, 0), 9, ...level(6, 0)], expected: [] },
  { what: 'too few runs', values: [0, 9], expected: [] },
  { what: 'equal runs', values: Array(20).fill(7), expected: [] },
])('$what', ({ values, expected }) => {
  expect(changes(values).map(({ at, isConfirmed }) => [at, isConfirmed])).toEqual(expected)
})

test('changes are in order of time, apart, and as unlikely as required', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { maxLength: 30 }),
      fc.nat(),
      (values, seed) => {
        const found = changes(values, seed)
        const confirmed = found.filter(({ isConfirmed }) => isConfirmed)
        for (const [index, { at, pValue }] of confirmed.entries()) {
          expect(at - (confirmed[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(OPTIONS.confirmingRuns)
          expect(values.length - at).toBeGreaterThanOrEqual(OPTIONS.confirmingRuns)
          expect(pValue ?? 1).toBeLessThanOrEqual(OPTIONS.alpha)
        }
        expect(found.filter(({ isConfirmed }) => !isConfirmed).length).toBeLessThanOrEqual(1)
      },
    ),
  )
})

test('the same seed gives the same p-values', () => {
  const values = [...level(8, 0), ...level(6, 0.3)]
  expect(changes(values, 5)).toEqual(changes(values, 5))
})
