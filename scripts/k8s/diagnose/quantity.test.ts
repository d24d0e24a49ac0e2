import { expect, test } from 'vitest'
import { quantityOf } from './quantity.ts'

test.each([
  ['1', 1],
  ['1500m', 1.5],
  ['0.5', 0.5],
  ['2Gi', 2_147_483_648],
  ['2G', 2_000_000_000],
  ['100Mi', 104_857_600],
  ['1e3', 1000],
  ['1E', 1e18],
  ['250u', 0.00025],
])('%s is %d', (text, amount) => expect(quantityOf(text)).toBeCloseTo(amount, 12))

test.each(['', 'Mi', '1X', '1 Gi', 'one'])('%j is no quantity', (text) => expect(quantityOf(text)).toBeNaN())
