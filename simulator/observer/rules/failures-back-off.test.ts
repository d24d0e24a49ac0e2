import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { failuresBackOff } from './failures-back-off.ts'

type Bed = ReturnType<typeof createTestBed>

/** A failure, and a retry after each wait; the last one succeeds. */
function retry({ ask, pass }: Bed, waitsMs: readonly number[], answer = {}) {
  ask({ status: 503, ...answer })
  for (const [place, waitMs] of waitsMs.entries()) {
    pass(waitMs)
    ask(place === waitsMs.length - 1 ? {} : { status: 503, ...answer })
  }
}

/** What was found a while later. */
function judged(waitsMs: readonly number[], answer = {}) {
  const bed = createTestBed(failuresBackOff)
  retry(bed, waitsMs, answer)
  bed.pass(600_000)
  return bed.found()
}

test('accuses of retries at a fixed interval', () => {
  expect(judged([1000, 1002, 1001, 1000])).toEqual([
    '4 retries in a row after 5xx, each after 1000, 1002, 1001, 1000 ms',
  ])
})

test('accuses of retries at once', () => {
  expect(judged([1, 3, 2, 12])).toHaveLength(1)
})

test('puts together the retries of several requests', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 2; count++) {
    retry(bed, [500, 500])
    bed.pass(10_000)
  }
  expect(bed.found()).toHaveLength(1)
})

test('lets pass waits that grow, or differ', () => {
  expect(judged([250, 500, 1000, 2000, 4000])).toEqual([])
  expect(judged([120, 333, 40, 700])).toEqual([])
  expect(judged([1000, 1000, 1000])).toEqual([])
})

test('lets pass waits that the exchange asked for', () => {
  expect(judged([1000, 1000, 1000, 1000, 1000], { retryAfterMs: 1000 })).toEqual([])
})

test('lets pass reads at a fixed interval, which come as regularly when they succeed', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 40; count++) {
    bed.ask(count % 10 < 6 ? { status: 503 } : {})
    bed.pass(1000)
  }
  bed.pass(600_000)
  expect(bed.found()).toEqual([])
})

test('lets pass such reads that end while they fail', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 20; count++) {
    bed.ask(count < 5 ? {} : { status: 503 })
    bed.pass(1000)
  }
  bed.pass(600_000)
  expect(bed.found()).toEqual([])
})

test('lets pass exponential backoff with full jitter, whatever the chance', () => {
  const share = fc.integer({ min: 0, max: 1000 })
  const jitters = fc.array(share, { minLength: 4, maxLength: 8 })
  let found = 0
  fc.assert(
    fc.property(fc.noBias(jitters), (shares) => {
      found += judged(shares.map((share, place) => Math.round((250 * 2 ** place * share) / 1000))).length
    }),
    { numRuns: 1000, seed: 7 },
  )
  expect(found).toBe(0)
})
