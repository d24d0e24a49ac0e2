import { expect, test } from 'vitest'
import { areSteady, waitsText } from './steady-waits.ts'

test.each([
  [[0, 0, 0, 0], true],
  [[1, 19, 3, 20], true],
  [[1, 19, 3, 21], false],
  [[1000, 1020, 1001, 1010], true],
  [[1000, 1021, 1001, 1010], false],
  [[30, 35, 31, 33], true],
  [[30, 36, 31, 33], false],
  [[1000, 1000, 1000], false],
])('%j: %s', (waitsMs, expected) => {
  expect(areSteady(waitsMs)).toBe(expected)
})

test('shows whole milliseconds', () => {
  expect(waitsText([1, 2.4])).toBe('1, 2 ms')
})
