import { expect, test } from 'vitest'
import { interleaved, timeText } from './run-sides.ts'

test('both sides run equally often, and lead in alternate pairs', () => {
  const order = (repeat: number) => interleaved(repeat).map(({ side, number }) => `${side}${number}`)
  expect(order(1)).toEqual(['a1', 'b1'])
  expect(order(5)).toEqual(['a1', 'b1', 'b2', 'a2', 'a3', 'b3', 'b4', 'a4', 'a5', 'b5'])
})

test.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [119.4, '119 s'],
  [119.5, '2 min'],
  [7169, '119 min'],
  [7170, '2 h'],
  [86_400, '24 h'],
])('%f s: %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text)
})
