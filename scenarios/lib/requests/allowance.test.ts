import { expect, test } from 'vitest'
import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'
import { type Budget, createAllowance } from './allowance.ts'
import { shareRequests } from './request-shares.ts'

const READ = { method: 'GET', path: '/swaps' }
const SHARES = shareRequests({ requestsMax: 10, requestsSpent: 0, loadRequests: 0 })

/** As k6/budget counts. */
function createBudget(): Budget {
  const counts = new Map<string, number>()
  const taken = (name: string) => counts.get(name) ?? 0
  return {
    taken,
    take(name, count, most) {
      if (taken(name) + count > most) return false
      counts.set(name, taken(name) + count)
      return true
    },
  }
}

function allowanceOf(budget: Budget, shares = SHARES, of: 'probes' | 'load' = 'probes') {
  return createAllowance({ limit: { share: shares[of], budget }, writesRefused: null })
}

test('VUs draw on one budget, of which the last tenth is kept for ending what was begun', () => {
  const budget = createBudget()
  const [one, other] = [allowanceOf(budget), allowanceOf(budget)]
  for (let count = 0; count < 8; count++) one.take(READ)
  other.take(READ)
  for (const allowance of [one, other]) {
    expect(() => allowance.take(READ)).toThrow(
      new CannotJudge(
        'the probes sent the 9 requests allowed, and 1 more are kept for ending sessions and tokens (--max-requests 10)',
      ),
    )
  }
  one.take({ method: 'POST', path: '/auth/logout' })
  expect(() => other.take({ method: 'DELETE', path: '/api-tokens/1' })).toThrow(CannotJudge)
  expect(budget.taken('probes')).toBe(10)
})

test('a load uses up its own half, and none of that of the probes', () => {
  const shares = shareRequests({ requestsMax: 10, requestsSpent: 0, loadRequests: 1000 })
  const budget = createBudget()
  const load = allowanceOf(budget, shares, 'load')
  for (let count = 0; count < 5; count++) load.take(READ)
  expect(() => load.take(READ)).toThrow(
    'the load sent the 5 requests allowed (--max-requests 10, 5 of them for the probes)',
  )
  expect(budget.taken('probes')).toBe(0)
})

test('what takes many requests asks for them before the first', () => {
  const budget = createBudget()
  const allowance = allowanceOf(budget)
  allowance.mustBeLeft(9, 'a burst')
  allowance.take(READ)
  expect(() => allowance.mustBeLeft(9, 'a burst')).toThrow(
    new CannotJudge('a burst takes up to 9 requests, and the probes may send 8 more (--max-requests 10)'),
  )
  expect(budget.taken('probes')).toBe(1)
})

test('without a most, there is none', () => {
  const allowance = createAllowance({ limit: null, writesRefused: null })
  for (let count = 0; count < 1000; count++) allowance.take(READ)
  allowance.mustBeLeft(1_000_000, 'a burst')
})

test.each(['POST', 'DELETE'])('a %s is not sent where nothing may be changed, and not counted', (method) => {
  const budget = createBudget()
  const allowance = createAllowance({ limit: { share: SHARES.probes, budget }, writesRefused: 'reads only' })
  expect(() => allowance.take({ method, path: '/auth/logout' })).toThrow(
    new CannotProbe('reads only', 'mutations'),
  )
  allowance.take(READ)
  expect(budget.taken('probes')).toBe(1)
})
