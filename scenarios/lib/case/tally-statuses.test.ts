import { expect, test } from 'vitest'
import { tallyStatuses } from './tally-statuses.ts'

test.each([
  [[200, 409], '200, 409'],
  [[409, 200, 409, 409], '200, 3 x 409'],
  [[], ''],
])('%j', (statuses, text) => {
  expect(tallyStatuses(statuses.map((status) => ({ status })))).toBe(text)
})
