import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adjustByHolm } from './holm.ts'

const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })

test('the least is multiplied by their number, the next by one less, and none is less than one before it', () => {
  const adjusted = adjustByHolm([0.02, 0.01, 0.04, 0.03])
  expect(adjusted.map((p) => Number(p.toPrecision(6)))).toEqual([0.06, 0.04, 0.06, 0.06])
})

test('a single comparison stays as it is', () => {
  expect(adjustByHolm([0.03])).toEqual([0.03])
})

test('no p value falls, none passes 1, their order stays, and Bonferroni is never milder', () => {
  fc.assert(
    fc.property(pValues, (values) => {
      const adjusted = adjustByHolm(values)
      for (const [index, p] of values.entries()) {
        const raised = adjusted[index] ?? Number.NaN
        expect(raised).toBeGreaterThanOrEqual(p)
        expect(raised).toBeLessThanOrEqual(Math.min(1, p * values.length))
        for (const [other, q] of values.entries()) {
          if (p < q) expect(raised).toBeLessThanOrEqual(adjusted[other] ?? Number.NaN)
        }
      }
    }),
    { seed: 1 },
  )
})
