import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../random.ts'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { tooManyWaits } from './required-waits.ts'

const LIMITED = { status: 429, code: 'rate_limited', retryAfterMs: 1000 }

function request(times: number, everyMs: number, more = {}) {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < times; count++) {
    bed.send({ ...LIMITED, ...more })
    bed.pass(everyMs)
  }
  return bed
}

test('reports requests during the wait', () => {
  const { found, evidence } = request(3, 200)
  expect(found()).toEqual(['GET /fee-tiers was sent again before Retry-After had passed, 2 times in a row'])
  expect(evidence()).toBe(3)
})

test('reports a loop without pauses', () => {
  expect(request(500, 1).found()).toHaveLength(1)
})

test('allows a wait by a clock that is some milliseconds off, followed by another rejection', () => {
  expect(request(10, 955).found()).toEqual([])
})

test('allows two programs of one wallet that cannot know of each other', () => {
  expect(request(20, 500).found()).toEqual([])
})

test.each([
  ['allows three programs with a socket each', 3, []],
  [
    'reports a fourth request of three programs',
    4,
    ['GET /fee-tiers was sent again before Retry-After had passed, 3 times in a row'],
  ],
])('%s, which they have lost', (_, count, found) => {
  const bed = createTestBed(tooManyWaits)
  const sockets = [1, 2, 3].map(() => bed.open().authenticate())
  bed.send()
  for (const socket of sockets) socket.end()
  for (let sent = 0; sent < count; sent++) {
    bed.send(LIMITED)
    bed.pass(200)
  }
  expect(bed.found()).toEqual(found)
})

test('allows two such programs whose clocks are some milliseconds off', () => {
  expect(request(20, 480).found()).toEqual([])
})

test('allows concurrent requests', () => {
  const { arrive, pass, found } = createTestBed(tooManyWaits)
  const responses = Array.from({ length: 20 }, () => arrive(LIMITED))
  for (const response of responses) {
    response()
    pass(3)
  }
  expect(found()).toEqual([])
})

test('allows other requests', () => {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < 20; count++) {
    bed.send({ ...LIMITED, url: `/pools?offset=${count}` })
    bed.pass(150)
  }
  expect(bed.found()).toEqual([])
})

test.each([
  ['without a pause', [10, 10], 1],
  ['of which the second succeeds', [300, 300], 1],
  ['of which the second comes after the first wait', [500, 500], 1],
  ['one only', [300], 0],
  ['after the waits', [955, 955, 960, 1000], 0],
])('early retries on the connection of the 429: %s', (_what, waitsMs, findings) => {
  const bed = createTestBed(tooManyWaits)
  bed.send({ ...LIMITED, connection: 40_000 })
  for (const [place, waitMs] of waitsMs.entries()) {
    bed.pass(waitMs)
    bed.send({ ...(place < waitsMs.length - 1 && LIMITED), connection: 40_000 })
  }
  expect(bed.found()).toHaveLength(findings)
})

test('reports a program that waits half of the time, by its connection', () => {
  const bed = request(20, 500, { connection: 40_000 })
  expect(bed.found()[0]).toBe(
    'GET /fee-tiers was sent again before Retry-After had passed, 2 times on one connection',
  )
  expect(bed.evidence()).toBe(3)
})

const TABS = [
  ['three tabs of a session', { credential: 'session' }, 3],
  ['five tabs that sign in separately', { ...STRANGER, method: 'POST', url: '/auth/verify' }, 5],
  ['five tabs that refresh', { ...STRANGER, credential: 'invalid', method: 'POST', url: '/auth/refresh' }, 5],
] as const

test.each(TABS)('allows %s, each with a wait of its own', (_what, who, tabs) => {
  expect(request(30, 960 / tabs, { ...who, connection: 40_000 }).found()).toEqual([])
})

test.each(TABS)('reports more repeats than those of %s', (_what, who, tabs) => {
  const [found = ''] = request(30, 900 / tabs, who).found()
  expect(found).toMatch(`was sent again before Retry-After had passed, ${tabs} times in a row`)
})

test('reports early retries of different incidents', () => {
  const bed = createTestBed(tooManyWaits)
  for (let incident = 0; incident < 2; incident++) {
    bed.send({ ...LIMITED, connection: 40_000 })
    bed.pass(200)
    bed.send({ connection: 40_000 })
    bed.pass(60_000)
  }
  expect([bed.found().length, bed.evidence()]).toEqual([1, 4])
})

test('reports a second early retry that succeeds, whatever its connection', () => {
  const bed = createTestBed(tooManyWaits)
  bed.send(LIMITED)
  bed.pass(300)
  bed.send(LIMITED)
  bed.pass(300)
  bed.send()
  expect(bed.found()).toHaveLength(1)
})

test.each([
  ['two programs, each on its own connection', 'api-token', (count: number) => 40_000 + (count % 2)],
  ['two tabs of a browser, which share a connection', 'session', () => 40_000],
] as const)('allows %s', (_what, credential, connection) => {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < 20; count++) {
    bed.send({ ...LIMITED, credential, connection: connection(count) })
    bed.pass(500)
  }
  expect(bed.found()).toEqual([])
})

const NO_WAIT = { ...LIMITED, retryAfterMs: null }

test('reports requests that continue without a pause after a 429 without Retry-After', () => {
  const { found, evidence } = request(120, 15, NO_WAIT)
  expect(found()).toEqual([
    'GET /fee-tiers was sent again 20 times within 285 ms, although each response was 429',
  ])
  expect(evidence()).toBe(20)
})

test.each([
  ['a fixed wait', 120, 60],
  ['some attempts', 20, 15],
])('allows %s after a 429 without Retry-After', (_what, times, everyMs) => {
  expect(request(times, everyMs, NO_WAIT).found()).toEqual([])
})

test('allows concurrent requests that get 429 without Retry-After, and those in flight', () => {
  const { arrive, pass, found } = createTestBed(tooManyWaits)
  const responses = Array.from({ length: 100 }, () => arrive(NO_WAIT))
  pass(500)
  for (const response of responses) response()
  for (let count = 0; count < 90; count++) {
    arrive(NO_WAIT)()
    pass(1)
  }
  expect(found()).toEqual([])
})

test('allows requests that succeed in between', () => {
  const bed = createTestBed(tooManyWaits)
  for (let count = 0; count < 200; count++) {
    bed.send(count % 20 === 0 ? {} : NO_WAIT)
    bed.pass(15)
  }
  expect(bed.found()).toEqual([])
})

test('allows exponential backoff with full jitter from 100 ms up to a second, by two programs, for any seed', () => {
  let found = 0
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const chance = createRandom(seed).stream('backoff').float
      const bed = createTestBed(tooManyWaits)
      const start = () => {
        let attempt = 0
        const attend = () => {
          bed.send(NO_WAIT)
          if (attempt < 30) bed.clock.after(chance() * Math.min(1000, 100 * 2 ** attempt++), attend)
        }
        attend()
      }
      start()
      start()
      bed.pass(60_000)
      found += bed.found().length
    }),
    { seed: 7, numRuns: 200 },
  )
  expect(found).toBe(0)
})
