import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { createClients, getClientName } from './client.ts'

const HERE = { remoteAddress: '127.0.0.1', userAgent: 'bot' }
const THERE = { remoteAddress: '10.0.0.1', userAgent: 'bot' }
const OTHER = { remoteAddress: '127.0.0.1', userAgent: 'another' }
/** Sockets of many libraries have no `User-Agent`. */
const BARE = { remoteAddress: '127.0.0.1', userAgent: '' }

function setUp() {
  const clock = createClock({ startMs: 0 })
  const clients = createClients({ clock })
  const of = (wallet: string | null, seat: typeof HERE, credentialId = 't1') =>
    clients.of({ wallet, credentialId }, seat)
  return { clock, ...clients, of }
}

test('a wallet has a client for each address and program', () => {
  const { of } = setUp()
  const client = of('bw1a', HERE)
  expect(of('bw1a', { ...HERE })).toBe(client)
  expect(new Set([client, of('bw1a', THERE), of('bw1a', OTHER), of('bw1b', HERE)]).size).toBe(4)
})

test('the first client of a wallet has its name, others a number and their place', () => {
  const { of } = setUp()
  const clients = [of('bw1a', HERE), of('bw1a', THERE), of('bw1a', OTHER), of('bw1a', HERE)]
  expect(clients.map(getClientName)).toEqual([
    'bw1a',
    'bw1a #2 (10.0.0.1 bot)',
    'bw1a #3 (127.0.0.1 another)',
    'bw1a',
  ])
})

test('a program that signs in again, or gets another API token, is one client', () => {
  const { of, clock } = setUp()
  const client = of('bw1a', HERE, 'session 1')
  clock.advance(60_000)
  expect(of('bw1a', HERE, 'session 2')).toBe(client)
  clock.advance(60_000)
  expect(of('bw1a', HERE, 'session 3')).toBe(client)
})

test('requests in flight with the previous credential are of the same client', () => {
  const { of, clock } = setUp()
  const client = of('bw1a', HERE, 'session 1')
  of('bw1a', HERE, 'session 2')
  clock.advance(250)
  expect(of('bw1a', HERE, 'session 1')).toBe(client)
})

test('two credentials in turn are two clients', () => {
  const { of, clock } = setUp()
  const seen = [1, 2, 1, 2, 1].map((session) => {
    clock.advance(1000)
    return of('bw1a', HERE, `session ${session}`)
  })
  const [, second, first] = seen
  expect(second).not.toBe(first)
  expect(seen.slice(3)).toEqual([second, first])
})

test('a socket is of the client that its ticket was issued to', () => {
  const { of, ofTicket } = setUp()
  const [one, other] = [of('bw1a', HERE, 't1'), of('bw1a', OTHER, 't2')]
  const ticket = (credentialId: string) => ofTicket({ wallet: 'bw1a', credentialId }, BARE)
  expect([ticket('t1'), ticket('t2')]).toEqual([one, other])
  expect(ofTicket({ wallet: 'bw1a' }, OTHER)).toBe(other)
})

test('with one credential, a socket is of the program that looks like it, or requested a ticket last', () => {
  const { of, ofTicket } = setUp()
  const [one, other] = [of('bw1a', HERE), of('bw1a', OTHER)]
  const ticket = (seat: typeof HERE) => ofTicket({ wallet: 'bw1a', credentialId: 't1' }, seat)
  one.reads.set('/auth/ws-ticket', 5)
  expect([ticket(OTHER), ticket(BARE)]).toEqual([other, one])
})

test('a stranger is named by IP address and program', () => {
  const { of } = setUp()
  expect(of(null, HERE)).toBe(of(null, { ...HERE }))
  expect(getClientName(of(null, HERE))).toBe('127.0.0.1 bot')
  expect(getClientName(of(null, BARE))).toBe('127.0.0.1 (no User-Agent)')
})

test('a stranger has the name of the only client seen there; with two it has none', () => {
  const { of } = setUp()
  const stranger = of(null, HERE)
  of('bw1a', HERE)
  expect(getClientName(stranger)).toBe('bw1a')
  of('bw1b', HERE)
  expect(getClientName(stranger)).toBe('127.0.0.1 bot')
})

test('the kin of a client: strangers at its addresses, and clients with its credential or its place', () => {
  const { of, ofTicket, kin } = setUp()
  const client = of('bw1a', HERE)
  const near = of(null, OTHER)
  const sameToken = of('bw1a', THERE)
  const other = of('bw1a', { ...THERE, userAgent: 'another' }, 't2')
  expect(kin(client)).toEqual(expect.arrayContaining([client, near, sameToken]))
  expect(kin(client)).not.toContain(other)
  expect(kin(client)).not.toContain(of(null, { ...THERE, userAgent: 'x' }))
  // A ticket of one that the other’s socket used: they work together.
  ofTicket({ wallet: 'bw1a', credentialId: 't2' }, HERE)
  expect(kin(client)).toContain(other)
})

test('forgets the clients not seen for longest, with their deadlines', () => {
  const { of, all, clock } = setUp()
  const first = of('bw1 first', HERE)
  let canceled = 0
  first.deadlines.add({ cancel: () => canceled++ })
  const open = of('bw1 open', HERE)
  open.openSockets = 1
  for (let count = 0; count < 2000; count++) {
    clock.advance(1)
    of(`bw1 ${count}`, HERE)
  }
  expect(all().length).toBeLessThanOrEqual(500)
  expect(all()).toContain(open)
  expect(all()).not.toContain(first)
  expect(canceled).toBe(1)
  expect(of('bw1 first', HERE)).not.toBe(first)
})
