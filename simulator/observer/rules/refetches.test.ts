import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { configRefetches, configRetriesPending, reconnectRefetches, resyncRefetches } from './refetches.ts'

function resync(seat = {}) {
  const bed = createTestBed(resyncRefetches)
  bed.send({ url: '/pools/a/trades' })
  bed.pass(1000)
  const socket = bed.open(seat).authenticate().join('trades:a')
  socket.control('resync_required')
  return { ...bed, socket }
}

test('reports a client that rereads nothing', () => {
  const { pass, found } = resync()
  pass(30_000)
  expect(found()).toEqual([
    'nothing was read again within 30 s of resync_required on socket 1, such as /pools/a/trades',
  ])
})

test('allows a late read', () => {
  const { send, pass, found, cases } = resync()
  pass(29_000)
  send({ url: '/pools/a/trades', status: 503 })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows a client that may not have received the control', () => {
  const gone = resync()
  gone.socket.leave()
  gone.pass(30_000)
  const clogged = resync({ hasSentAll: () => false })
  clogged.pass(30_000)
  expect([gone.found(), clogged.found()]).toEqual([[], []])
})

test('requires nothing of a client that had read nothing', () => {
  const bed = createTestBed(resyncRefetches)
  bed.open().authenticate().join('trades:a').control('resync_required')
  bed.pass(30_000)
  expect([bed.found(), bed.cases()]).toEqual([[], 0])
})

test('gives the last of several its time, with one deadline at a time', () => {
  const { socket, send, pass, found, clock } = resync()
  pass(10_000)
  send({ url: '/pools/a/trades' })
  pass(1000)
  for (let count = 0; count < 100; count++) socket.control('resync_required')
  const timers = clock.nextAtMs()
  pass(29_999)
  expect([found(), timers]).toEqual([[], clock.nowMs() - 10_999])
  pass(1)
  expect(found()).toHaveLength(1)
})

test('forgets everything when the world moves back', () => {
  const { observer, pass, found } = resync()
  observer.forget()
  pass(30_000)
  expect(found()).toEqual([])
})

function reconnect(read: Parameters<ReturnType<typeof createTestBed>['send']>[0], rooms = ['trades:a b']) {
  const bed = createTestBed(reconnectRefetches)
  bed.send({ url: '/auth/ws-ticket' })
  bed.send(read)
  bed
    .open()
    .authenticate()
    .join(...rooms)
    .end()
  bed.pass(1000)
  bed.open().authenticate()
  return bed
}

test.each([
  ['trades:a b', '/pools/a%20b/trades?limit=10', '/pools/a%20b/trades'],
  ['balances:bw1wallet', '/balances', '/balances'],
  ['protocol_config', '/protocol/state', '/protocol/state'],
  ['pool_launches', '/explore/pools?limit=10', '/explore/pools'],
])('reports a client that had read the data of %s and does not reread them', (room, url, path) => {
  const { pass, found } = reconnect({ url }, [room])
  pass(30_000)
  expect(found()).toEqual([
    `socket 2 replaced a lost one 30 s ago, but nothing was read again, such as ${path}`,
  ])
})

test('reports reads without a credential from the same program', () => {
  const { pass, found } = reconnect({ ...STRANGER, url: '/pools/a%20b/stats' })
  pass(30_000)
  expect(found()).toHaveLength(1)
})

test('allows rereading part of it, even without a credential or a response', () => {
  const { arrive, pass, found, cases } = reconnect({ url: '/pools/a%20b/stats' })
  pass(29_000)
  arrive({ ...STRANGER, userAgent: 'another program', url: '/pools/a%20b/ohlcv' })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test.each([
  ['another pool', { url: '/pools/other/stats' }],
  ['a list that was searched for the pool', { url: '/explore/pools?limit=1' }],
  ['the pool, by another program', { ...STRANGER, userAgent: 'another', url: '/pools/a%20b/stats' }],
])('allows a client that had read %s', (_what, read) => {
  const { pass, found } = reconnect(read)
  pass(30_000)
  expect(found()).toEqual([])
})

const state = (minimum: number) => ({
  url: `/protocol/state?minimum_revision=${minimum}`,
  route: '/protocol/state',
})

function announced(revision = 7) {
  const bed = createTestBed(configRefetches)
  const socket = bed.open().authenticate().join('protocol_config')
  socket.revision(revision)
  return { ...bed, socket }
}

const VIOLATION =
  'socket 1 got revision 7, but within 30 s /protocol/state was not requested with a minimum_revision of at least that'

test.each([
  ['nothing', []],
  ['the state, of any revision', [{ url: '/protocol/state', route: '/protocol/state' }]],
  ['the state, of an older revision', [state(6)]],
])('reports a client that requests %s', (_what, requests) => {
  const { send, pass, found } = announced()
  for (const request of requests) send(request)
  pass(30_000)
  expect(found()).toEqual([VIOLATION])
})

test('allows a late request, one without a credential, or one for a later revision', () => {
  const { arrive, pass, found, cases } = announced()
  pass(29_999)
  arrive({ ...STRANGER, ...state(8) })
  pass(1)
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows a client that got it on another socket before', () => {
  const bed = createTestBed(configRefetches)
  bed.send(state(7))
  bed.open().authenticate().revision(7)
  bed.pass(30_000)
  expect(bed.found()).toEqual([])
})

test('allows a client that is gone', () => {
  const { socket, pass, found } = announced()
  socket.leave()
  pass(30_000)
  expect(found()).toEqual([])
})

test('gives each revision its time', () => {
  const { socket, send, pass, found } = announced(7)
  pass(20_000)
  socket.revision(8)
  send(state(7))
  pass(29_999)
  expect(found()).toEqual([])
  pass(1)
  expect(found()).toEqual([VIOLATION.replace('revision 7', 'revision 8')])
})

const PENDING = {
  url: '/protocol/state?minimum_revision=7',
  route: '/protocol/state',
  status: 503,
  code: 'protocol_revision_pending',
  retryAfterMs: 1000,
}

test('reports repeated requests before the wait is over', () => {
  const { send, pass, found } = createTestBed(configRetriesPending)
  for (let count = 0; count < 3; count++) {
    send(PENDING)
    pass(200)
  }
  expect(found()).toEqual([
    'requested /protocol/state?minimum_revision=7 again before Retry-After had passed, 2 times in a row',
  ])
})

test('reports a client that never requests again although its socket is open', () => {
  const { open, send, pass, found } = createTestBed(configRetriesPending)
  open().authenticate()
  send(PENDING)
  pass(31_000)
  expect(found()).toEqual([
    'requested /protocol/state?minimum_revision=7, which was pending, but not again within 30 s after Retry-After',
  ])
})

test('allows waiting repeatedly until it is available', () => {
  const { open, send, pass, found, cases } = createTestBed(configRetriesPending)
  open().authenticate()
  for (let count = 0; count < 5; count++) {
    send(PENDING)
    pass(1001)
  }
  send({ ...PENDING, status: 200, code: null, retryAfterMs: null })
  pass(60_000)
  expect([found(), cases()]).toEqual([[], 5])
})

test('allows a client without a socket, which may have exited', () => {
  const { send, pass, found } = createTestBed(configRetriesPending)
  send(PENDING)
  pass(60_000)
  expect(found()).toEqual([])
})
