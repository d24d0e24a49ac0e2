import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { areSteady, failuresBackOff, failuresBounded, tooManyWaits, waitsText } from './retries.ts'

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
  )
  expect(found).toBe(0)
})

function fail(times: number, everyMs: number) {
  const bed = createTestBed(failuresBounded)
  for (let count = 0; count < times; count++) {
    bed.ask({ status: 503 })
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who never gives up', () => {
  expect(fail(30, 100).found()).toEqual([
    'GET /fee-tiers was answered with 5xx 30 times in a row, within 2900 ms',
  ])
})

test('lets pass who gives up, who slows down, and who reads every half a second', () => {
  expect(fail(29, 100).found()).toEqual([])
  expect(fail(200, 501).found()).toEqual([])
})

test('lets pass a success in between', () => {
  const { ask, found } = fail(29, 10)
  ask()
  ask({ status: 503 })
  expect(found()).toEqual([])
})

test('lets pass many at once', () => {
  const { arrive, pass, found } = createTestBed(failuresBounded)
  const answers = Array.from({ length: 100 }, () => arrive({ status: 503 }))
  pass(1)
  for (const answer of answers) answer()
  expect(found()).toEqual([])
})

test('lets pass a revision that is pending, which has a rule of its own', () => {
  const { ask, pass, found } = createTestBed(failuresBounded)
  for (let count = 0; count < 50; count++) {
    ask({ status: 503, code: 'protocol_revision_pending' })
    pass(100)
  }
  expect(found()).toEqual([])
})

const LIMITED = { status: 429, code: 'rate_limited', retryAfterMs: 1000 }

function ask(times: number, everyMs: number, more = {}) {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < times; count++) {
    bed.ask({ ...LIMITED, ...more })
    bed.pass(everyMs)
  }
  return bed
}

test('accuses who goes on during the wait', () => {
  const { found, evidence } = ask(3, 200)
  expect(found()).toEqual(['GET /fee-tiers came again before Retry-After was over, 2 times in a row'])
  expect(evidence()).toBe(3)
})

test('accuses a loop that does not pause at all', () => {
  expect(ask(500, 1).found()).toHaveLength(1)
})

test('lets pass who waits, by a clock that is some milliseconds off, and is refused again', () => {
  expect(ask(10, 955).found()).toEqual([])
})

test('lets pass two programs of one wallet that cannot know of each other', () => {
  expect(ask(20, 500).found()).toEqual([])
})

test('lets pass two such programs whose clocks are some milliseconds off', () => {
  expect(ask(20, 480).found()).toEqual([])
})

test('lets pass requests that were under way together', () => {
  const { arrive, pass, found } = createTestBed(tooManyWaits)
  const answers = Array.from({ length: 20 }, () => arrive(LIMITED))
  for (const answer of answers) {
    answer()
    pass(3)
  }
  expect(found()).toEqual([])
})

test('lets pass other requests, and refusals that ask for no wait', () => {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < 20; count++) {
    bed.ask({ ...LIMITED, url: `/pools?offset=${count}` })
    bed.pass(150)
  }
  expect(bed.found()).toEqual([])
  expect(ask(20, 150, { retryAfterMs: null }).found()).toEqual([])
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
