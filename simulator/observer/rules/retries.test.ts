import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { areSteady, failuresBackOff, failuresBounded, waitsText } from './retries.ts'

type Bed = ReturnType<typeof createTestBed>

/** A failure, and a retry after each wait; the last one succeeds. */
function retry({ send, pass }: Bed, waitsMs: readonly number[], response = {}) {
  send({ status: 503, ...response })
  for (const [place, waitMs] of waitsMs.entries()) {
    pass(waitMs)
    send(place === waitsMs.length - 1 ? {} : { status: 503, ...response })
  }
}

function judged(waitsMs: readonly number[], response = {}) {
  const bed = createTestBed(failuresBackOff)
  retry(bed, waitsMs, response)
  bed.pass(600_000)
  return bed.found()
}

test('reports retries at a fixed interval', () => {
  expect(judged([1000, 1002, 1001, 1000])).toEqual([
    '4 retries in a row after 5xx, each after 1000, 1002, 1001, 1000 ms',
  ])
})

test('reports immediate retries', () => {
  expect(judged([1, 3, 2, 12])).toHaveLength(1)
})

test('combines the retries of several requests', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 2; count++) {
    retry(bed, [500, 500])
    bed.pass(10_000)
  }
  expect(bed.found()).toHaveLength(1)
})

test('allows waits that grow or differ', () => {
  expect(judged([250, 500, 1000, 2000, 4000])).toEqual([])
  expect(judged([120, 333, 40, 700])).toEqual([])
  expect(judged([1000, 1000, 1000])).toEqual([])
})

test('allows waits that the exchange required', () => {
  expect(judged([1000, 1000, 1000, 1000, 1000], { retryAfterMs: 1000 })).toEqual([])
})

test('allows reads at a fixed interval that continue after a success', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 40; count++) {
    bed.send(count % 10 < 6 ? { status: 503 } : {})
    bed.pass(1000)
  }
  bed.pass(600_000)
  expect(bed.found()).toEqual([])
})

test('allows such reads that end while they fail', () => {
  const bed = createTestBed(failuresBackOff)
  for (let count = 0; count < 20; count++) {
    bed.send(count < 5 ? {} : { status: 503 })
    bed.pass(1000)
  }
  bed.pass(600_000)
  expect(bed.found()).toEqual([])
})

test('allows exponential backoff with full jitter, for any seed', () => {
  const share = fc.integer({ min: 0, max: 1000 })
  const jitters = fc.array(share, { minLength: 4, maxLength: 8 })
  let found = 0
  fc.assert(
    fc.property(fc.noBias(jitters), (shares) => {
      found += judged(shares.map((share, place) => Math.round((250 * 2 ** place * share) / 1000))).length
    }),
  )
  expect(found).toBe(0)
})

function fail(times: number, everyMs: number) {
  const bed = createTestBed(failuresBounded)
  for (let count = 0; count < times; count++) {
    bed.send({ status: 503 })
    bed.pass(everyMs)
  }
  return bed
}

test('reports a client that never gives up', () => {
  expect(fail(30, 100).found()).toEqual(['GET /fee-tiers returned 5xx 30 times in a row, within 2900 ms'])
})

test('allows giving up, slowing down, and reads every half a second', () => {
  expect(fail(29, 100).found()).toEqual([])
  expect(fail(200, 501).found()).toEqual([])
})

test('allows a success in between', () => {
  const { send, found } = fail(29, 10)
  send()
  send({ status: 503 })
  expect(found()).toEqual([])
})

test('allows many concurrent requests', () => {
  const { arrive, pass, found } = createTestBed(failuresBounded)
  const responses = Array.from({ length: 100 }, () => arrive({ status: 503 }))
  pass(1)
  for (const response of responses) response()
  expect(found()).toEqual([])
})

test('allows a pending revision, which has its own rule', () => {
  const { send, pass, found } = createTestBed(failuresBounded)
  for (let count = 0; count < 50; count++) {
    send({ status: 503, code: 'protocol_revision_pending' })
    pass(100)
  }
  expect(found()).toEqual([])
})

test.each([
  [[0, 0, 0, 0], true],
  [[1, 19, 3, 20], true],
  [[1, 19, 3, 21], false],
  [[1000, 1020, 1001, 1010], true],
  [[1000, 1021, 1001, 1010], false],
  [[30, 35, 31, 33], true],
  [[30, 36, 31, 33], false],
  [[1000, 1000, 1000], false],
])('%j: %s', (waitsMs, expected) => {
  expect(areSteady(waitsMs)).toBe(expected)
})

test('shows whole milliseconds', () => {
  expect(waitsText([1, 2.4])).toBe('1, 2 ms')
})
