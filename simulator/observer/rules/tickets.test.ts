import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketFresh, ticketOnly, ticketRenewed, ticketSamePrincipal } from './tickets.ts'

type Bed = ReturnType<typeof createTestBed>

const refused = { action: 'authenticate', digest: 'd', outcome: 'refused' } as const

test.each(['an API token', 'a session token'] as const)('reports %s instead of a ticket', (presented) => {
  const { open, found, evidence } = createTestBed(ticketOnly)
  open().frame({ ...refused, presented })
  expect(found()).toEqual([`an authenticate frame with ${presented}`])
  expect(evidence()).toBe(2)
})

test('allows an expired ticket, or an unknown text', () => {
  const { open, found, cases } = createTestBed(ticketOnly)
  open().frame({ ...refused, presented: 'unknown' })
  open().authenticate()
  expect([found(), cases()]).toEqual([[], 1])
})

test('reports a renewal with the current ticket of the socket', () => {
  const { open, found, evidence } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' }).authenticate({ ticket: 'one', outcome: 'refused' })
  expect(found()).toEqual(['socket 1 sent a ticket that had been used earlier on it'])
  expect(evidence()).toBe(2)
})

test('reports a reconnect with the ticket of the lost socket', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' }).end()
  open().authenticate({ ticket: 'one', outcome: 'refused' })
  expect(found()).toEqual(['socket 2 sent a ticket that had been used by socket 1, which has closed'])
})

test('allows new tickets, and two tabs that share one while both are open', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' })
  open().authenticate({ ticket: 'one' }).authenticate({ ticket: 'two', outcome: 'renewed' })
  expect(found()).toEqual([])
})

test('allows a text that was rejected before: it was not a ticket', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'none', outcome: 'refused' }).end()
  open().authenticate({ ticket: 'none', outcome: 'refused' })
  expect(found()).toEqual([])
})

test('reports a socket that ended when its ticket expired', () => {
  const { open, pass, found } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(60_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual(['the ticket of socket 1 ended after 60 s, and no other had been requested'])
})

/** A client whose other request got 429, that long before its ticket ends. */
function limited({ beforeMs, retryAfterMs }: { beforeMs: number; retryAfterMs: number | null }) {
  const { open, send, pass, found, cases } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(60_000 - beforeMs)
  send({ url: '/swaps', status: 429, retryAfterMs })
  pass(beforeMs)
  socket.end('ticketExpired', 4401)
  return { found: found(), cases: cases() }
}

test.each([
  { beforeMs: 5000, retryAfterMs: 5000 },
  { beforeMs: 30_000, retryAfterMs: 30_000 },
  { beforeMs: 59_000, retryAfterMs: 20_000 },
  { beforeMs: 30_000, retryAfterMs: null },
])('allows a client that is rate limited, and waits with all its requests: %j', (options) => {
  expect(limited(options)).toEqual({ found: [], cases: 0 })
})

test.each([
  { beforeMs: 59_000, retryAfterMs: 1000 },
  { beforeMs: 59_000, retryAfterMs: null },
])('reports a client that was rate limited, and had the time to renew: %j', (options) => {
  expect(limited(options).found).toHaveLength(1)
})

test('reports a client that requests the next ticket, but does not send it', () => {
  const { open, send, pass, found } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(50_000)
  send({ url: '/auth/ws-ticket' })
  pass(10_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual(['the ticket of socket 1 ended after 60 s, and the next one was never sent'])
})

function requestTicket({ pass, send }: Bed, { afterMs = 40_000, status = 200 } = {}) {
  pass(afterMs)
  send({ url: '/auth/ws-ticket', status })
}

test.each([
  ['came too late', (bed: Bed) => requestTicket(bed, { afterMs: 50_001 })],
  ['was refused', (bed: Bed) => requestTicket(bed, { status: 503 })],
  [
    'was refused to one of two tabs',
    (bed: Bed) => {
      requestTicket(bed, { status: 503 })
      requestTicket(bed, { afterMs: 0 })
    },
  ],
  [
    'took more than a second',
    ({ pass, arrive }: Bed) => {
      pass(40_000)
      const respond = arrive({ url: '/auth/ws-ticket' })
      pass(1001)
      respond()
    },
  ],
  [
    'may have been in a frame above the limit',
    (bed: Bed, socket: ReturnType<Bed['open']>) => {
      requestTicket(bed)
      socket.frame({ action: 'limited' })
    },
  ],
  [
    'went to another socket',
    (bed: Bed) => {
      requestTicket(bed)
      bed.open().authenticate()
    },
  ],
])('allows a client whose next ticket %s', (_what, act) => {
  const bed = createTestBed(ticketRenewed)
  const socket = bed.open().authenticate()
  act(bed, socket)
  bed.pass(1_060_000 - bed.clock.nowMs())
  socket.end('ticketExpired', 4401)
  expect(bed.found()).toEqual([])
})

test('allows a renewal, or a failed request for a ticket', () => {
  const { open, pass, arrive, found, cases } = createTestBed(ticketRenewed)
  const [renewed, unlucky] = [open().authenticate(), open().authenticate()]
  pass(45_000)
  arrive({ url: '/auth/ws-ticket' }) // and never gets a response
  renewed.authenticate({ outcome: 'renewed' })
  pass(15_000)
  unlucky.end('ticketExpired', 4401)
  expect([found(), cases()]).toEqual([[], 2])
})

test('allows a client that has given up a mute socket', () => {
  const { open, send, pass, found } = createTestBed(ticketRenewed)
  const socket = open({ hasSentAll: () => false }).authenticate()
  pass(30_000)
  send({ url: '/auth/ws-ticket' })
  pass(30_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual([])
})

test('allows a ticket for a socket that did not open', () => {
  const { open, send, pass, found, clock, observer } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(30_000)
  send({ url: '/auth/ws-ticket' })
  const upgrade = { remoteAddress: '127.0.0.1', userAgent: 'bot', arrivedMs: clock.nowMs() }
  pass(15_000)
  observer.rejected({ ...upgrade, endedMs: clock.nowMs(), status: null, retryAfterMs: null, entry: 0 })
  pass(15_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual([])
})

test('allows a ticket that did not live its 60 seconds', () => {
  const { open, pass, found } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(30_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual([])
})

test('allows a client that a leap of the clock left no time', () => {
  const { open, pass, observer, found } = createTestBed(ticketRenewed, { leapMsMax: 5000 })
  const socket = open().authenticate()
  observer.hold()
  pass(60_000)
  socket.end('ticketExpired', 4401)
  observer.release()
  expect(found()).toEqual([])
})

test('reports a renewal with the ticket of another wallet', () => {
  const { open, found } = createTestBed(ticketSamePrincipal)
  open().authenticate().authenticate({ outcome: 'another principal' })
  expect(found()).toEqual(['socket 1 got a renewal with a ticket of another wallet'])
})

test('allows renewals by the same wallet, and another wallet on its own socket', () => {
  const { open, found, cases } = createTestBed(ticketSamePrincipal)
  open().authenticate().authenticate({ outcome: 'renewed' })
  open().authenticate({ wallet: 'bw1other' })
  expect([found(), cases()]).toEqual([[], 1])
})
