import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const DATE = 'Mon, 05 Jan 2026 09:00:00 GMT'

test.each([
  ['seconds', '3', 3000],
  ['a date', 'Mon, 05 Jan 2026 09:00:02 GMT', 2000],
  ['a date gone by', 'Mon, 05 Jan 2026 08:00:00 GMT', 0],
  ['neither', 'soon', null],
  ['nothing', undefined, null],
])('reads %s', (_what, retryAfter, expected) => {
  expect(retryAfterMs({ retryAfter, date: DATE })).toBe(expected)
})
