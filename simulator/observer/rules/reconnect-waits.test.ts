import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../random.ts'
import { createTestBed } from '../test-bed.ts'
import { reconnectBacksOff } from './reconnect-waits.ts'

/** Sockets that the exchange ends after `servedMs`, and the waits of the client before the next ones. */
function loop(waitsMs: readonly number[], { servedMs = 60_000, isAuthenticated = true } = {}) {
  const bed = createTestBed(reconnectBacksOff)
  const connect = () => (isAuthenticated ? bed.open().authenticate() : bed.open())
  let socket = connect()
  for (const waitMs of waitsMs) {
    bed.pass(servedMs)
    socket.end()
    bed.pass(waitMs)
    socket = connect()
  }
  return { ...bed, socket }
}

test('reports immediate reconnects', () => {
  const { found, evidence } = loop([1, 4, 3, 2, 2])
  expect(found()).toEqual(['5 reconnects in a row, each after 1, 4, 3, 2, 2 ms'])
  expect(evidence()).toBe(10)
})

test('reports reconnects after the same time', () => {
  expect(loop([1000, 1003, 1001, 1000, 1002]).found()).toEqual([
    '5 reconnects in a row, each after 1000, 1003, 1001, 1000, 1002 ms',
  ])
  expect(loop(Array.from({ length: 9 }, (_, place) => 1000 + 20 * (place % 2))).found()).toHaveLength(1)
})

/** Random waits of 5 to 65 ms, for each seed. */
const short = (seed: number, count: number) => {
  const random = createRandom(seed).stream('short').float
  return Array.from({ length: count }, () => 5 + 60 * random())
}

test.each([
  ['after sockets that were never authenticated', { isAuthenticated: false }, 9, 6],
  ['after sockets that end within a second', { servedMs: 900 }, 9, 6],
  ['after sockets that were served', {}, 33, 20],
])('reports short random waits that never grow %s', (_what, sockets, enough, tooFew) => {
  for (let seed = 0; seed < 100; seed++) expect(loop(short(seed, enough), sockets).found()).toHaveLength(1)
  expect(loop(short(0, tooFew), sockets).found()).toEqual([])
})

test('counts the wait to the upgrade, although a fault delays its response', () => {
  const bed = createTestBed(reconnectBacksOff)
  let socket = bed.open().authenticate()
  const waitsMs = [400, 30, 900, 250, 1700, 90, 600]
  for (const waitMs of waitsMs) {
    bed.pass(60_000)
    socket.end()
    bed.pass(waitMs)
    const arrivedMs = bed.clock.nowMs()
    bed.pass(20_000)
    socket = bed.open({ arrivedMs }).authenticate()
  }
  expect(bed.found()).toEqual([])
})

const SEAT = { remoteAddress: '127.0.0.1', userAgent: 'bot' }

test('does not judge attempts that overlap: it is unknown when the client gave up the earlier one', () => {
  const bed = createTestBed(reconnectBacksOff)
  for (let count = 0; count < 10; count++) {
    const endedMs = bed.clock.nowMs()
    const arrivedMs = endedMs - 10_000
    bed.observer.rejected({ ...SEAT, arrivedMs, endedMs, status: null, retryAfterMs: null, entry: 1 })
    bed.pass(2000)
  }
  expect(bed.found()).toEqual([])
})

test('shows the range of many waits', () => {
  expect(loop(short(0, 33)).found()).toEqual(['26 reconnects in a row, each after 6 to 58 ms'])
})

test('allows waits that grow or differ', () => {
  expect(loop([1000, 2000, 4000, 8000, 16_000]).found()).toEqual([])
  expect(loop([212, 480, 33, 210, 390]).found()).toEqual([])
  expect(loop([1, 2, 3]).found()).toEqual([])
})

test('allows waits that have grown to their limit', () => {
  expect(loop([1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000], { servedMs: 10 }).found()).toEqual([])
})

type Policy = (options: { attempt: number; beforeMs: number; random: () => number }) => number

const full =
  (firstMs: number, capMs: number): Policy =>
  ({ attempt, random }) =>
    Math.min(capMs, firstMs * 2 ** attempt) * random()
const equal =
  (firstMs: number, capMs: number): Policy =>
  ({ attempt, random }) =>
    (Math.min(capMs, firstMs * 2 ** attempt) / 2) * (1 + random())
const decorrelated =
  (firstMs: number, capMs: number): Policy =>
  ({ beforeMs, random }) =>
    Math.min(capMs, firstMs + (3 * Math.max(firstMs, beforeMs) - firstMs) * random())
const tenPercent: Policy = ({ attempt, random }) =>
  Math.min(30_000, 1000 * 2 ** attempt) * (0.9 + 0.2 * random())

test.each([
  ['full jitter from 100 ms', full(100, 30_000)],
  ['full jitter from 100 ms up to half a second', full(100, 500)],
  ['full jitter from a second', full(1000, 30_000)],
  ['equal jitter from 100 ms up to a second', equal(100, 1000)],
  ['decorrelated jitter from 100 ms up to a second', decorrelated(100, 1000)],
  ['decorrelated jitter from a second', decorrelated(1000, 20_000)],
  ['jitter of ten percent', tenPercent],
])('allows exponential backoff with %s, for any seed', (_what, policy) => {
  let found = 0
  fc.assert(
    fc.property(fc.integer(), fc.boolean(), (seed, isServed) => {
      const random = createRandom(seed).stream('backoff').float
      let beforeMs = 0
      const waitsMs = Array.from({ length: 30 }, (_, place) => {
        // A served socket is a success, after which the backoff starts again.
        const attempt = isServed ? 0 : place
        beforeMs = policy({ attempt, beforeMs: isServed ? 0 : beforeMs, random })
        return Math.round(beforeMs)
      })
      found += loop(waitsMs, isServed ? {} : { isAuthenticated: false }).found().length
    }),
    { seed: 7, numRuns: 300 },
  )
  expect(found).toBe(0)
})

test('allows a client with several sockets, or one that closes them itself', () => {
  const several = loop([1, 1, 1])
  several.open()
  several.socket.end()
  several.open()
  expect(several.found()).toEqual([])

  const own = createTestBed(reconnectBacksOff)
  for (let count = 0; count < 6; count++) own.open().authenticate().leave()
  expect(own.found()).toEqual([])
})
