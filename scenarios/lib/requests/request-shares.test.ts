import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareRequests } from './request-shares.ts'

test('without a load the probes have all requests, and keep 50 of them for ending what they began', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, requestsSpent: 0, loadRequests: 0 })
  expect(probes).toEqual({ of: 'probes', requestsMax: 10_000, kept: 50, bound: '--max-requests 10000' })
  expect(load.requestsMax).toBe(0)
})

test('a load has three times what it sends on average, and the probes have the rest', () => {
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

test('what was spent before the run is shared out no more, and the option is shown as configured', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, requestsSpent: 8, loadRequests: 100 })
  expect([probes.requestsMax, load.requestsMax]).toEqual([9692, 300])
  expect(probes.bound).toBe('--max-requests 10000, 300 of them for the load and 8 for making API tokens')
  expect(load.bound).toBe('--max-requests 10000, 9692 of them for the probes and 8 for making API tokens')
})

test('a load has a half at the most, and both together have what the run may send', () => {
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
