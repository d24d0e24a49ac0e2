import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createClock } from './clock.ts'
import { createTokenBuckets } from './token-bucket.ts'

it('grants the burst, then one per refill', () => {
  const clock = createClock({ startMs: 1_735_689_600_000 })
  const buckets = createTokenBuckets({ clock, burst: 3, perSecond: 2 })
  const take = () => buckets.take('a')
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 500])
  clock.advance(499)
  expect(take()).toBe(1)
  clock.advance(1)
  expect([take(), take()]).toEqual([0, 500])
})

it('is at most empty after the clock moved back', () => {
  const clock = createClock({ startMs: 600_000 })
  const buckets = createTokenBuckets({ clock, burst: 3, perSecond: 0.5 })
  expect(buckets.take('a')).toBe(0)
  clock.restoreTo(0)
  expect(buckets.take('a')).toBe(2000)
  clock.advance(2000)
  expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 2000])
})

it('keeps a bucket for each key', () => {
  const buckets = createTokenBuckets({ clock: createClock({ startMs: 0 }), burst: 1, perSecond: 1 })
  expect([buckets.take('a'), buckets.take('b'), buckets.take('a')]).toEqual([0, 0, 1000])
})

it('removes keys whose bucket is full again', () => {
  const clock = createClock({ startMs: 0 })
  const buckets = createTokenBuckets({ clock, burst: 1, perSecond: 1000 })
  for (let key = 0; key < 30_000; key++) {
    buckets.take(`key${key}`)
    clock.advance(1)
  }
  expect(buckets.size()).toBeLessThanOrEqual(10_000)
})

const RATES = {
  burst: fc.integer({ min: 1, max: 50 }),
  perSecond: fc.double({ min: 0.1, max: 1000, noNaN: true }),
  waitsMs: fc.array(fc.nat({ max: 400 }), { maxLength: 200 }),
}

it('never grants more than the burst and the refill since, over any interval', () => {
  fc.assert(
    fc.property(fc.record(RATES), ({ burst, perSecond, waitsMs }) => {
      const clock = createClock({ startMs: 1_735_689_600_000 })
      const buckets = createTokenBuckets({ clock, burst, perSecond })
      const grantedAtMs: number[] = []
      for (const waitMs of waitsMs) {
        clock.advance(waitMs)
        if (buckets.take('a') === 0) grantedAtMs.push(clock.nowMs())
      }
      for (const [first, fromMs] of grantedAtMs.entries()) {
        for (const [last, toMs] of grantedAtMs.entries()) {
          if (last >= first) {
            const allowed = burst + ((toMs - fromMs) / 1000) * perSecond
            expect(last - first + 1).toBeLessThanOrEqual(allowed + 0.1)
          }
        }
      }
    }),
    { numRuns: 50 },
  )
})

it('grants a request after the announced wait, rounded up to whole seconds', () => {
  fc.assert(
    fc.property(fc.record(RATES), ({ burst, perSecond, waitsMs }) => {
      const clock = createClock({ startMs: 1_735_689_600_000 })
      const buckets = createTokenBuckets({ clock, burst, perSecond })
      for (const waitMs of waitsMs) {
        clock.advance(waitMs)
        const namedMs = buckets.take('a')
        if (namedMs > 0) {
          clock.advance(Math.ceil(namedMs / 1000) * 1000)
          expect(buckets.take('a')).toBe(0)
        }
      }
    }),
  )
})
