import { expect, test } from 'vitest'
import { durationMs } from './duration-ms.ts'

test.each([
  ['33s', 33_000],
  ['10m30s', 630_000],
  ['1h0m0.5s', 3_600_500],
  ['1d2h', 93_600_000],
  ['500ms', 500],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each(['', '5', 's', '5 s', '1m-3s'])('%j is no duration', (text) => {
  expect(() => durationMs(text)).toThrow(RangeError)
})
