import { expect, test } from 'vitest'
import { findTokenExpiryProblem } from './token-expiry.ts'

const CREATED = '2026-03-01T12:00:00Z'

function find(expires: unknown, { days = 1, created = CREATED, status = 201, path = '/api-tokens' } = {}) {
  const spec = { method: 'POST' as const, path, body: { name: 'n', expires_in_days: days } }
  return findTokenExpiryProblem(spec, {
    status,
    json: { data: { created_at: created, expires_at: expires } },
  })
}

test.each([
  ['2026-03-31T12:00:00Z', 'expires after 30.00 days, requested 1'],
  ['2026-03-01T12:01:00Z', 'expires after 0.00 days, requested 1'],
  ['2026-03-03T15:00:00.000+00:00', 'expires after 2.13 days, requested 1'],
  ['2026-03-02T12:00:00Z', undefined],
  ['2026-03-02T23:59:59Z', undefined],
  ['2026-03-03T12:00:00Z', undefined],
  ['2026-03-02 14:00:00+02:00', undefined],
  ['2026-03-31 12:00:00.006000+00', 'expires after 30.00 days, requested 1'],
  ['2026-03-02 14:00:00-0200', undefined],
])('a token for a day that expires at %s: %s', (expires, problem) => {
  expect(find(expires)).toBe(problem)
})

test.each([
  { why: 'no expiry', expires: undefined },
  { why: 'an expiry without a zone', expires: '2026-03-31T12:00:00' },
  { why: 'a day that is not in the calendar', expires: '2026-13-31T12:00:00Z' },
  { why: 'seconds', expires: '1772366400' },
  { why: 'no time of creation', expires: '2026-03-31T12:00:00Z', options: { created: '' } },
  { why: 'a refusal', expires: '2026-03-31T12:00:00Z', options: { status: 400 } },
  { why: 'another lifetime, which may be clamped', expires: '2026-03-31T12:00:00Z', options: { days: 90 } },
  { why: 'another endpoint', expires: '2026-03-31T12:00:00Z', options: { path: '/tokens' } },
])('$why is left alone', ({ expires, options }) => {
  expect(find(expires, options)).toBeUndefined()
})
