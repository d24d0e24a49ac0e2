import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import { type Budget, createAllowance, shareRequests } from './allowance.ts'

const READ = { method: 'GET', path: '/swaps' }
const SHARES = shareRequests({ requestsMax: 10, requestsSpent: 0, loadRequests: 0 })

/** Counts like k6/budget. */
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

function createTestAllowance(budget: Budget, shares = SHARES, of: 'probes' | 'load' = 'probes') {
  return createAllowance({ limit: { share: shares[of], budget }, writesRefused: null })
}

test('VUs share one budget, whose last tenth is reserved for cleanup', () => {
  const budget = createBudget()
  const [one, other] = [createTestAllowance(budget), createTestAllowance(budget)]
  for (let count = 0; count < 8; count++) one.take(READ)
  other.take(READ)
  for (const allowance of [one, other]) {
    expect(() => allowance.take(READ)).toThrow(
      new CannotJudge(
        'the probes sent the 9 requests allowed, and 1 more are reserved for ending sessions and tokens (--max-requests 10)',
      ),
    )
  }
  one.take({ method: 'POST', path: '/auth/logout' })
  expect(() => other.take({ method: 'DELETE', path: '/api-tokens/1' })).toThrow(CannotJudge)
  expect(budget.taken('probes')).toBe(10)
})

test('a load uses only its own half', () => {
  const shares = shareRequests({ requestsMax: 10, requestsSpent: 0, loadRequests: 1000 })
  const budget = createBudget()
  const load = createTestAllowance(budget, shares, 'load')
  for (let count = 0; count < 5; count++) load.take(READ)
  expect(() => load.take(READ)).toThrow(
    'the load sent the 5 requests allowed (--max-requests 10, 5 of them for the probes)',
  )
  expect(budget.taken('probes')).toBe(0)
})

test('work with many requests checks the budget before the first one', () => {
  const budget = createBudget()
  const allowance = createTestAllowance(budget)
  allowance.mustBeLeft(9, 'a burst')
  allowance.take(READ)
  expect(() => allowance.mustBeLeft(9, 'a burst')).toThrow(
    new CannotJudge(
      'a burst takes up to 9 requests, but the probes may send only 8 more (--max-requests 10)',
    ),
  )
  expect(budget.taken('probes')).toBe(1)
})

test('without a limit, everything is allowed', () => {
  const allowance = createAllowance({ limit: null, writesRefused: null })
  for (let count = 0; count < 1000; count++) allowance.take(READ)
  allowance.mustBeLeft(1_000_000, 'a burst')
})

test.each(['POST', 'DELETE'])('a %s is neither sent nor counted if writes are forbidden', (method) => {
  const budget = createBudget()
  const allowance = createAllowance({ limit: { share: SHARES.probes, budget }, writesRefused: 'reads only' })
  expect(() => allowance.take({ method, path: '/auth/logout' })).toThrow(
    new CannotProbe('reads only', 'mutations'),
  )
  allowance.take(READ)
  expect(budget.taken('probes')).toBe(1)
})

test('without a load the probes get all requests, and reserve 50 of them for cleanup', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, requestsSpent: 0, loadRequests: 0 })
  expect(probes).toEqual({ of: 'probes', requestsMax: 10_000, kept: 50, bound: '--max-requests 10000' })
  expect(load.requestsMax).toBe(0)
})

test('a load gets three times its average, and the probes get the rest', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, requestsSpent: 0, loadRequests: 850.4 })
  expect(load).toEqual({
    of: 'load',
    requestsMax: 2552,
    kept: 0,
    bound: '--max-requests 10000, 7448 of them for the probes',
  })
  expect(probes).toMatchObject({
    requestsMax: 7448,
    bound: '--max-requests 10000, 2552 of them for the load',
  })
})

test('requests sent before the run are subtracted, and the option is shown as configured', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, requestsSpent: 8, loadRequests: 100 })
  expect([probes.requestsMax, load.requestsMax]).toEqual([9692, 300])
  expect(probes.bound).toBe('--max-requests 10000, 300 of them for the load and 8 for creating API tokens')
  expect(load.bound).toBe('--max-requests 10000, 9692 of them for the probes and 8 for creating API tokens')
})

test('a load gets at most half, and both together get the whole limit', () => {
  const counts = {
    requestsMax: fc.integer({ min: 50, max: 100_000 }),
    requestsSpent: fc.nat(40),
    loadRequests: fc.nat(1_000_000),
  }
  fc.assert(
    fc.property(fc.record(counts), (options) => {
      const { probes, load } = shareRequests(options)
      expect(probes.requestsMax + load.requestsMax + options.requestsSpent).toBe(options.requestsMax)
      expect(load.requestsMax).toBeLessThanOrEqual(Math.ceil(options.requestsMax / 2))
      expect(probes.kept).toBeLessThan(probes.requestsMax)
    }),
  )
})
