import { expect, test } from 'vitest'
import { computeSojourns, computeStalled, drawArrivals, exponential, quantileOf } from './queue-path.ts'

const SERVICE_MS = 50

test.each([0.5, 0.7, 0.9])('long paths agree with queueing theory at utilization %f', (utilization) => {
  const perSecond = (utilization * 1000) / SERVICE_MS
  const arrivals = drawArrivals({ perSecond, seconds: 1_000_000 / perSecond, seed: 5 })
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const constant = mean(computeSojourns(arrivals, () => SERVICE_MS))
  expect(constant / (SERVICE_MS * (1 + utilization / (2 * (1 - utilization))))).toBeCloseTo(1, 1)
  const random = computeSojourns(arrivals, exponential(6, SERVICE_MS))
  const expected = SERVICE_MS / (1 - utilization)
  expect(mean(random) / expected).toBeCloseTo(1, 1)
  expect(quantileOf(random, 0.95) / (-Math.log(0.05) * expected)).toBeCloseTo(1, 1)
})

test('requests of a stopped server end when it continues', () => {
  const times = computeStalled({ perSecond: 2, seconds: 4, stopAt: 1, stopSeconds: 1.5, serviceMs: 100 })
  expect(times).toEqual([100, 100, 1600, 1100, 600, 100, 100, 100])
})
