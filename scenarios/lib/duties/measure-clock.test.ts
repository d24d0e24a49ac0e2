import fc from 'fast-check'
import { expect, test } from 'vitest'
import { measureClock } from './measure-clock.ts'

/** A server that is so far ahead, asked in the time of the test. */
function asked(options: {
  startMs: number
  aheadMs: number
  thereMs: number
  backMs: number
  date?: string
}) {
  const { aheadMs, thereMs, backMs } = options
  let now = options.startMs
  let count = 0
  const sleep = (ms: number) => {
    now += ms
  }
  const known = measureClock(
    () => {
      count += 1
      const sentMs = now
      const second = Math.floor((now + thereMs + aheadMs) / 1000)
      now += thereMs + backMs
      const date = 'date' in options ? options.date : new Date(second * 1000).toUTCString()
      return { sentMs, heardMs: now, date, age: undefined }
    },
    { nowMs: () => now, sleep },
  )
  return { known, count, tookMs: now - options.startMs }
}

const START_MS = 1_750_000_000_000

test('tells the clock as closely as two answers are apart, and takes a second or so', () => {
  const options = fc.record({
    startMs: fc.integer({ min: START_MS, max: START_MS + 60_000 }),
    aheadMs: fc.integer({ min: -1e9, max: 1e9 }),
    thereMs: fc.nat(40),
    backMs: fc.nat(40),
  })
  fc.assert(
    fc.property(options, (given) => {
      const { known, count, tookMs } = asked(given)
      const { leastMs, mostMs } = known?.ahead ?? { leastMs: Number.NaN, mostMs: Number.NaN }
      expect(leastMs).toBeLessThanOrEqual(given.aheadMs)
      expect(mostMs).toBeGreaterThanOrEqual(given.aheadMs)
      expect(mostMs - leastMs).toBeLessThanOrEqual(20 + 2 * (given.thereMs + given.backMs) + 1)
      expect([count < 60, tookMs < 1300]).toEqual([true, true])
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('where nothing tells the time, nothing is known, and it ends all the same', () => {
  const { known, tookMs } = asked({ startMs: START_MS, aheadMs: 0, thereMs: 5, backMs: 5, date: 'no date' })
  expect([known, tookMs < 1300]).toEqual([null, true])
})
