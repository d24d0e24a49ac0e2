import { expect, test } from 'vitest'
import { parseExpiry } from './expiry.ts'

const AT = Date.UTC(2025, 0, 2, 3, 4, 5)

test.each([
  ['rfc3339', '2025-01-02T03:04:05Z', AT],
  ['rfc3339', '2025-01-02T03:04:05.0069Z', AT + 6],
  ['rfc3339', '2025-01-02t03:04:05.5z', AT + 500],
  ['rfc3339', '2025-01-02 04:34:05.006000+01:30', AT + 6],
  ['epoch-seconds', '1735787045', AT],
  ['epoch-seconds', 1735787045, AT],
  ['epoch-seconds', 1735787045.25, AT + 250],
  ['epoch-millis', 1735787045006, AT + 6],
  ['epoch-millis', '1735787045006', AT + 6],
] as const)('%s: %j', (format, value, atMs) => {
  expect(parseExpiry(value, format)).toBe(atMs)
})

test.each([
  ['rfc3339', 1735787045],
  ['rfc3339', 'Thu, 02 Jan 2025 03:04:08 GMT'],
  ['rfc3339', '2025-13-45T03:04:05Z'],
  ['rfc3339', null],
  ['epoch-seconds', '2025-01-02T03:04:05Z'],
  ['epoch-seconds', ''],
  ['epoch-millis', { at: 1 }],
  ['epoch-millis', undefined],
] as const)('%s: %j is written otherwise', (format, value) => {
  expect(parseExpiry(value, format)).toBeUndefined()
})
