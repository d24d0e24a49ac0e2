import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareRequests } from './request-shares.ts'

test('without a load the probes have all requests, and keep 50 of them for ending what they began', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, loadRequests: 0 })
  expect(probes).toEqual({ of: 'probes', requestsMax: 10_000, kept: 50, bound: '--max-requests 10000' })
  expect(load.requestsMax).toBe(0)
})

test('a load has three times what it sends on average, and the probes have the rest', () => {
  const { probes, load } = shareRequests({ requestsMax: 10_000, loadRequests: 850.4 })
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

test('a load has a half at the most, and both together have what the run may send', () => {
  const counts = { requestsMax: fc.integer({ min: 10, max: 100_000 }), loadRequests: fc.nat(1_000_000) }
  fc.assert(
    fc.property(fc.record(counts), (options) => {
      const { probes, load } = shareRequests(options)
      expect(probes.requestsMax + load.requestsMax).toBe(options.requestsMax)
      expect(load.requestsMax).toBeLessThanOrEqual(Math.ceil(options.requestsMax / 2))
      expect(probes.kept).toBeLessThan(probes.requestsMax)
    }),
  )
})
