import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { configRefetches, configRetriesPending } from './config-refetches.ts'

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

test('counts from the time at which a fault released the event', () => {
  let releasedMs = Number.NEGATIVE_INFINITY
  const { open, pass, found, clock } = createTestBed(configRefetches)
  const socket = open({ releasedMs: () => releasedMs })
    .authenticate()
    .join('protocol_config')
  socket.revision(7)
  pass(28_000)
  releasedMs = clock.nowMs()
  pass(29_000)
  expect(found()).toEqual([])
  pass(1000)
  expect(found()).toEqual([VIOLATION])
})

test('allows an event that comes after a configuration of its revision', () => {
  const { open, send, pass, found } = createTestBed(configRefetches)
  const socket = open().authenticate().join('protocol_config')
  send({ ...state(5), servedRevision: 7 })
  socket.revision(7)
  pass(30_000)
  expect(found()).toEqual([])
  socket.revision(8)
  pass(30_000)
  expect(found()).toEqual([VIOLATION.replace('7', '8')])
})

test.each([500, 429])(
  'reports a client whose only request gets %i, once it should have retried',
  (status) => {
    const { send, pass, found } = announced()
    pass(20_000)
    send({ ...state(7), status })
    pass(29_999)
    expect(found()).toEqual([])
    pass(1)
    expect(found()).toEqual([
      `socket 1 got revision 7, but the request for it got ${status} and was not sent again`,
    ])
  },
)

test('waits for a client that is rate limited, and waits with all its requests', () => {
  const { send, pass, found } = announced()
  send({ url: '/swaps', status: 429, retryAfterMs: 40_000 })
  send({ url: '/unclaimed', status: 429, retryAfterMs: 1000 })
  pass(69_999)
  expect(found()).toEqual([])
  pass(1)
  expect(found()).toEqual([VIOLATION])
})

test('allows a client that is rate limited, and requests the state then', () => {
  const { send, pass, found, cases } = announced()
  send({ url: '/swaps', status: 429, retryAfterMs: 30_000 })
  pass(30_100)
  send(state(7))
  pass(60_000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('waits for a client that reads one revision after the other, as long as the older one is pending', () => {
  const { socket, send, pass, found } = announced(7)
  for (let count = 0; count < 8; count++) {
    send(PENDING)
    if (count === 0) socket.revision(8)
    pass(10_000)
  }
  send(state(7))
  pass(20_000)
  expect(found()).toEqual([])
  pass(10_000)
  expect(found()).toEqual([VIOLATION.replace('revision 7', 'revision 8')])
})

test('waits for a client that reads one revision after the other, as long as a response is outstanding', () => {
  const { arrive, open, send, pass, found } = createTestBed(configRefetches)
  const socket = open().authenticate().join('protocol_config')
  pass(10_000)
  const respond = arrive(state(7))
  pass(5000)
  socket.revision(8)
  pass(10_000)
  respond({ ...PENDING })
  pass(20_000)
  expect(found()).toEqual([])
  for (let reads = 0; reads < 3; reads++) {
    expect(found()).toEqual([])
    send(state(7))
    pass(10_000)
  }
  expect(found()).toEqual([VIOLATION.replace('revision 7', 'revision 8')])
})

test('allows a request that was repeated, even without success', () => {
  const { send, pass, found } = announced()
  for (const status of [500, 502]) {
    send({ ...state(7), status })
    pass(1000)
  }
  pass(60_000)
  expect(found()).toEqual([])
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

test('allows three programs that got the revision on a socket each', () => {
  const { open, send, pass, found } = createTestBed(configRetriesPending)
  for (let socket = 0; socket < 3; socket++) open().authenticate()
  for (let count = 0; count < 9; count++) {
    send(PENDING)
    pass(340)
  }
  expect(found()).toEqual([])
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

test('waits for a client that gets 429 for another request, and waits with all its requests', () => {
  const { open, send, pass, found } = createTestBed(configRetriesPending)
  open().authenticate()
  send(PENDING)
  send({ url: '/swaps', status: 429, retryAfterMs: 30_000 })
  pass(59_999)
  expect(found()).toEqual([])
  pass(1)
  expect(found()).toHaveLength(1)
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
