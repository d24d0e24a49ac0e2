import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../random.ts'
import { createTestBed } from '../test-bed.ts'
import { reconnectBacksOff, reconnectResubscribes, reconnectSynchronizes } from './reconnects.ts'

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

function lose(...rooms: string[]) {
  const bed = createTestBed(reconnectResubscribes)
  bed
    .open()
    .authenticate()
    .join(...rooms)
    .end()
  bed.pass(1000)
  return bed
}

test('reports a replacement socket that joins nothing', () => {
  const { open, pass, found } = lose('trades:a', 'trades:b')
  open().authenticate()
  pass(30_000)
  expect(found()).toEqual([
    'socket 2 replaced a lost one 30 s ago, but 2 of its 2 rooms were not subscribed to again: trades:a, trades:b',
  ])
})

test('reports the only socket of a client that omits a room', () => {
  const { open, pass, found } = lose('trades:a', 'trades:b')
  open().authenticate().join('trades:a')
  pass(30_000)
  expect(found()[0]).toContain('1 of its 2 rooms were not subscribed to again: trades:b')
})

test('allows joining every room again, even if rejected now', () => {
  const { open, pass, found, cases } = lose('trades:a', 'trades:b')
  const socket = open().authenticate()
  pass(29_000)
  socket.join('trades:a')
  socket.frame({ action: 'subscribe', room: 'trades:b', refusal: 'room_unknown', respelledKey: null })
  pass(30_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows rooms that two tabs may have shared among their sockets', () => {
  const bed = createTestBed(reconnectResubscribes)
  const tabs = [bed.open().authenticate().join('trades:a'), bed.open().authenticate().join('trades:b')]
  for (const tab of tabs) tab.end()
  bed.pass(1000)
  bed.open().authenticate().join('trades:b')
  bed.open().authenticate().join('trades:c')
  bed.pass(31_000)
  expect(bed.found()).toEqual([])
})

test.each([
  ['left by itself', (bed: ReturnType<typeof createTestBed>) => bed.open().authenticate().join('a').leave()],
  ['had no room', (bed: ReturnType<typeof createTestBed>) => bed.open().authenticate().end()],
])('allows a replacement of a socket that %s', (_what, before) => {
  const bed = createTestBed(reconnectResubscribes)
  before(bed)
  bed.open().authenticate()
  bed.pass(31_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 0])
})

test('allows a client that returns a minute later, or from another program', () => {
  const { open, pass, found } = lose('trades:a')
  open({ userAgent: 'another' }).authenticate()
  pass(61_000)
  open().authenticate()
  pass(31_000)
  expect(found()).toEqual([])
})

test('remembers the rooms if the replacement is lost too', () => {
  const { open, pass, found } = lose('trades:a')
  open().authenticate().end()
  open().authenticate()
  pass(30_000)
  expect(found()[0]).toContain('trades:a')
})

function reconnect() {
  const bed = createTestBed(reconnectSynchronizes)
  const lost = bed.open().authenticate().join('trades:a')
  lost.frame({ action: 'synchronize' })
  lost.end()
  bed.pass(1000)
  return { ...bed, socket: bed.open().authenticate().join('trades:a') }
}

test('reports a replacement socket that never synchronizes', () => {
  const { pass, found } = reconnect()
  pass(30_000)
  expect(found()).toEqual(['socket 2 replaced a lost one 30 s ago, but has not sent synchronize'])
})

/** Joins rooms again and synchronizes in this order; `null` synchronizes and gets `synchronized`. */
function restore(steps: readonly (string | null)[], { everyMs = 0, lost = ['a', 'b'] } = {}) {
  const bed = createTestBed(reconnectSynchronizes)
  bed
    .open()
    .authenticate()
    .join(...lost)
    .end()
  const socket = bed.open().authenticate()
  for (const room of steps) {
    if (room === null) {
      socket.frame({ action: 'synchronize' })
      socket.control('synchronized')
    } else socket.join(room)
    bed.pass(everyMs)
  }
  bed.pass(30_000)
  return bed
}

test.each([
  ['none', [null, 'a', 'b'], '2 of its rooms after synchronize: a, b'],
  ['some', ['a', null, 'b'], '1 of its rooms after synchronize: b'],
])('reports a client that synchronizes after it has joined %s of its rooms', (_what, steps, what) => {
  expect(restore(steps).found()).toEqual([`socket 2 replaced a lost one 30 s ago, but joined ${what}`])
})

test('reports rooms that are joined before a delayed `synchronized`', () => {
  const bed = createTestBed(reconnectSynchronizes)
  bed.open().authenticate().join('a').end()
  const socket = bed.open().authenticate()
  socket.frame({ action: 'synchronize' })
  bed.pass(10_000)
  socket.join('a').control('synchronized')
  bed.pass(20_000)
  expect(bed.found()).toHaveLength(1)
})

test.each([
  ['synchronizes after them', ['a', 'b', null]],
  ['checks its ticket with a first synchronize', [null, 'a', 'b', null]],
  ['joins other rooms afterwards', ['a', 'b', null, 'c']],
  ['synchronizes after each', ['a', null, 'b', null]],
])('allows a client that %s', (_what, steps) => {
  const { found, cases } = restore(steps)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows a room that is joined later', () => {
  expect(restore(['a', null, 'b'], { everyMs: 1001 }).found()).toEqual([])
})

test('allows a late synchronize', () => {
  const { socket, pass, found, cases } = reconnect()
  pass(29_999)
  socket.frame({ action: 'synchronize' })
  pass(1)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows a socket that closes before its deadline', () => {
  const { socket, pass, found } = reconnect()
  pass(29_999)
  socket.leave()
  pass(1)
  expect(found()).toEqual([])
})

test('extends the deadline by a leap of the clock', () => {
  const bed = createTestBed(reconnectSynchronizes, { leapMsMax: 5000 })
  bed.open().authenticate().join('trades:a').end()
  bed.open().authenticate().join('trades:a')
  bed.observer.hold()
  bed.pass(60_000)
  bed.observer.release()
  bed.pass(29_999)
  expect(bed.found()).toEqual([])
  bed.pass(1)
  expect(bed.found()).toHaveLength(1)
})
