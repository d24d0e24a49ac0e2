import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { reconnectResubscribes } from './reconnect-resubscribes.ts'

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

test('accuses a socket that joins nothing in place of a lost one', () => {
  const { open, pass, found } = lose('trades:a', 'trades:b')
  open().authenticate()
  pass(30_000)
  expect(found()).toEqual([
    'socket 2 is there in place of a lost one for 30 s, and 2 of its 2 rooms were not subscribed to again: trades:a, trades:b',
  ])
})

test('accuses the only socket of a client that forgets a room', () => {
  const { open, pass, found } = lose('trades:a', 'trades:b')
  open().authenticate().join('trades:a')
  pass(30_000)
  expect(found()[0]).toContain('1 of its 2 rooms were not subscribed to again: trades:b')
})

test('lets pass who joins every room again, be it refused now', () => {
  const { open, pass, found, cases } = lose('trades:a', 'trades:b')
  const socket = open().authenticate()
  pass(29_000)
  socket.join('trades:a')
  socket.frame({ action: 'subscribe', room: 'trades:b', refusal: 'room_unknown', respelledKey: null })
  pass(30_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('lets pass what two tabs may have shared out among their sockets', () => {
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
])('lets pass a socket in place of one that %s', (_what, before) => {
  const bed = createTestBed(reconnectResubscribes)
  before(bed)
  bed.open().authenticate()
  bed.pass(31_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 0])
})

test('lets pass a client that comes back a minute later, or from another program', () => {
  const { open, pass, found } = lose('trades:a')
  open({ userAgent: 'another' }).authenticate()
  pass(61_000)
  open().authenticate()
  pass(31_000)
  expect(found()).toEqual([])
})

test('remembers the rooms where the socket in place is lost as well', () => {
  const { open, pass, found } = lose('trades:a')
  open().authenticate().end()
  open().authenticate()
  pass(30_000)
  expect(found()[0]).toContain('trades:a')
})
