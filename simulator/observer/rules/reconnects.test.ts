import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { reconnectResubscribes, reconnectSynchronizes } from './reconnects.ts'

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
