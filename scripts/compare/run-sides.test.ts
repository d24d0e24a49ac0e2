import { expect, test } from 'vitest'
import { timeText } from './run-sides.ts'

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
