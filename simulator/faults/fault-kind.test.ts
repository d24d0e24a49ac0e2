import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { drawLatencyMs, type Latency, latencySchema } from './fault-kind.ts'

const draws = (latency: Latency, count = 2001) => {
  const stream = createRandom(3).stream('latency')
  return Array.from({ length: count }, () => drawLatencyMs(latency, (sample) => sample(stream))).sort(
    (a, b) => a - b,
  )
}

test('fixed draws nothing from the stream', () => {
  expect(draws({ distribution: 'fixed', ms: 30 }, 3)).toEqual([30, 30, 30])
})

test('uniform draws both ends and all values between', () => {
  const drawn = draws({ distribution: 'uniform', minMs: 10, maxMs: 14 })
  expect([...new Set(drawn)]).toEqual([10, 11, 12, 13, 14])
})

test('log-normal has its median, its sigma and its maximum', () => {
  const drawn = draws({ distribution: 'log-normal', medianMs: 100, sigma: 0.5, maxMs: 300 })
  expect(Math.abs((drawn[1000] ?? 0) - 100)).toBeLessThan(5)
  // One standard deviation above: 100 × e^0.5 = 165.
  expect(Math.abs((drawn[1683] ?? 0) - 165)).toBeLessThan(10)
  expect(drawn.at(-1)).toBe(300)
})

test('reversed bounds are rejected', () => {
  const { error } = latencySchema.safeParse({ distribution: 'uniform', minMs: 5, maxMs: 4 })
  expect(error?.issues).toMatchObject([{ path: ['maxMs'], message: 'expected at least minMs' }])
})
