import { expect, test, vi } from 'vitest'
import { describeTimes } from './judge-valuation.ts'

// Modules that need k6.
vi.mock('../requests/request-parsed.ts', () => ({}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

const NOW = 1_735_787_045
const BEFORE = 'validUntil is before publishTime'
const UNITS = 'the times have different units'

test.each([
  { why: 'in order', times: [NOW, NOW + 60, NOW + 1], found: undefined },
  { why: 'equal', times: [NOW, NOW, NOW], found: undefined },
  { why: 'past, as the quote is stale', times: [NOW, NOW + 60, NOW + 3600], found: undefined },
  { why: 'in milliseconds', times: [NOW * 1000, NOW * 1000 + 60_000, NOW * 1000], found: undefined },
  { why: 'invalid before they are published', times: [NOW, NOW - 1, NOW], found: BEFORE },
  { why: 'in seconds, and the server’s in milliseconds', times: [NOW, NOW + 60, NOW * 1000], found: UNITS },
  { why: 'in milliseconds, and the end in seconds', times: [NOW * 1000, NOW + 60, undefined], found: UNITS },
  { why: 'in seconds and microseconds', times: [NOW, NOW + 60, NOW * 1e6], found: UNITS },
  { why: 'a time and a duration', times: [NOW, 60, NOW], found: undefined },
  { why: 'without an end', times: [NOW, 0, NOW], found: undefined },
  { why: 'texts, which another rule covers', times: [`${NOW}`, NOW - 60, NOW - 60], found: undefined },
])('times that are $why: $found', ({ times, found }) => {
  const [publishTime, validUntil, serverTime] = times
  expect(describeTimes({ publishTime, validUntil, serverTime })).toBe(found)
})

test('a page without a valuation has no times', () => {
  expect(describeTimes(null)).toBeUndefined()
  expect(describeTimes(undefined)).toBeUndefined()
})
