import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renewalMs } from './renewal.ts'

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('a ticket is renewed while there is time left to try again, at a moment of its own', () => {
  fc.assert(
    fc.property(fraction, (drawn) => {
      expect(renewalMs({ random: () => drawn })).toBeCloseTo(40_000 - 10_000 * drawn, 6)
    }),
  )
})

test('never after its end, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fraction, (afterMs, drawn) => {
      const ms = renewalMs({ random: () => drawn, afterMs, spreadShare: 0.1 })
      expect(ms).toBeLessThan(60_000)
      expect(ms).toBeGreaterThanOrEqual(0.9 * Math.min(59_999, afterMs) - 1e-6)
    }),
  )
})
