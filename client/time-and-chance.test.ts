import { expect, test } from 'vitest'
import { createRandom } from './time-and-chance.ts'

test('the seed determines the numbers', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed)
    return Array.from({ length: 1000 }, () => random())
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true)
  const mean = draw(7).reduce((sum, value) => sum + value, 0) / 1000
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
})
