import { expect, test, vi } from 'vitest'
import { isOwnError } from './judge-errors.ts'

vi.mock('../requests/request-parsed.ts', () => ({}))

test.each([
  { status: 500, json: { error: 'internal' }, own: true },
  { status: 503, json: {}, own: false },
  { status: 400, json: { error: 'invalid' }, own: false },
  { status: 200, json: { data: [] }, own: false },
  { status: 0, json: undefined, own: false },
  { status: 502, json: undefined, own: false },
  { status: 500, json: null, own: false },
])('$status with $json is an error of the exchange: $own', ({ status, json, own }) => {
  expect(isOwnError({ status, json })).toBe(own)
})
