import { expect, test } from 'vitest'
import { CannotJudge, CannotProbe } from '../probe/cannot.ts'
import { createAllowance } from './allowance.ts'

const READ = { method: 'GET', path: '/swaps' }

test('keeps the last tenth for ending what was begun, and refuses what comes after', () => {
  const allowance = createAllowance({ requestsMax: 10, writesRefused: null })
  for (let count = 0; count < 9; count++) allowance.take(READ)
  expect(() => allowance.take(READ)).toThrow(CannotJudge)
  expect(() => allowance.take(READ)).toThrow('what it may of 10 requests (--max-requests)')
  allowance.take({ method: 'POST', path: '/auth/logout' })
  expect(() => allowance.take({ method: 'DELETE', path: '/api-tokens/1' })).toThrow(CannotJudge)
  expect(allowance.sent()).toBe(10)
})

test('without a most, there is none', () => {
  const allowance = createAllowance({ requestsMax: null, writesRefused: null })
  for (let count = 0; count < 1000; count++) allowance.take(READ)
  expect(allowance.sent()).toBe(1000)
})

test.each(['POST', 'DELETE'])('a %s is not sent where nothing may be changed, and not counted', (method) => {
  const allowance = createAllowance({ requestsMax: 10, writesRefused: 'reads only' })
  expect(() => allowance.take({ method, path: '/auth/logout' })).toThrow(new CannotProbe('reads only'))
  allowance.take(READ)
  expect(allowance.sent()).toBe(1)
})
