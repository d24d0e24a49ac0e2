import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseUnits, nextOffset, retryDelayMs } from './conduct.ts'

test.each([
  ['goes on after the rows that came', { offset: 10, rows: 7, total: 30 }, 17],
  ['ends where all rows are there', { offset: 20, rows: 10, total: 30 }, undefined],
  ['ends at an empty page, whatever the total says', { offset: 20, rows: 0, total: 30 }, undefined],
  ['goes on without a total', { offset: 0, rows: 3, total: Number.NaN }, 3],
])('%s', (_, page, next) => {
  expect(nextOffset(page)).toBe(next)
})

test.each([
  ['1', 6, '1000000'],
  ['0.5', 18, '500000000000000000'],
  ['1,234.56', 2, '123456'],
  ['12 345', 0, '12345'],
  [' 007.10 ', 2, '710'],
  ['1000', 18, '1000000000000000000000'],
])('%s of %i decimals is %s', (typed, decimals, units) => {
  expect(baseUnits(typed, decimals)).toBe(units)
})

test.each(['', '1e6', '-1', '+1', '1.', '.5', '1,5', '0x10', '１', '1.234'])('rejects %j', (typed) => {
  expect(() => baseUnits(typed, 2)).toThrow()
})

test('is exact and canonical for any size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), fc.nat(30), (units, decimals) => {
      const digits = String(units).padStart(decimals + 1, '0')
      const whole = digits.slice(0, digits.length - decimals)
      const typed = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
      expect(baseUnits(typed, decimals)).toBe(String(units))
    }),
  )
})

const READ = { method: 'GET' } as const

const respond = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
  body: undefined,
})

test.each([200, 304, 400, 401, 403, 404, 409])('does not retry %d', (status) => {
  const response = respond(status)
  expect(retryDelayMs({ request: READ, response, attempt: 0, random: () => 0, nowMs: 0 })).toBeUndefined()
})

test.each([
  ['a 429 waits for Retry-After, and backs off from there', respond(429, { 'retry-after': '3' }), 4000],
  ['a 503 too', respond(503, { 'retry-after': '3' }), 4000],
  ['a 429 that does not say backs off', respond(429), 1000],
  ['so does a 500', respond(500), 1000],
  ['so does a missing response', undefined, 1000],
])('%s', (_, given, ms) => {
  expect(retryDelayMs({ request: READ, response: given, attempt: 2, random: () => 0.5, nowMs: 0 })).toBe(ms)
})

test.each([
  ['a write is not sent again after a 500', 'POST', respond(500), undefined],
  ['nor without a response', 'DELETE', undefined, undefined],
  ['after a 429 it is: it was not carried out', 'POST', respond(429), 1000],
] as const)('%s', (_, method, response, ms) => {
  expect(retryDelayMs({ request: { method }, response, attempt: 2, random: () => 0.5, nowMs: 0 })).toBe(ms)
  const request = { method, repeatable: true } as const
  expect(retryDelayMs({ request, response, attempt: 2, random: () => 0.5, nowMs: 0 })).toBe(1000)
})
