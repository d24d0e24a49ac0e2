import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { createClients, getClientName } from './client.ts'

const HERE = { remoteAddress: '127.0.0.1', userAgent: 'bot' }
const THERE = { remoteAddress: '10.0.0.1', userAgent: 'bot' }

function setUp() {
  const clock = createClock({ startMs: 0 })
  return { clock, ...createClients({ clock }) }
}

test('a wallet is one client at any address', () => {
  const { of } = setUp()
  expect(of('bw1a', HERE)).toBe(of('bw1a', THERE))
  expect(of('bw1a', HERE)).not.toBe(of('bw1b', HERE))
})

test('a stranger is named by IP address and program', () => {
  const { of } = setUp()
  expect(of(null, HERE)).toBe(of(null, { ...HERE }))
  expect(getClientName(of(null, HERE))).toBe('127.0.0.1 bot')
  expect(getClientName(of(null, { ...HERE, userAgent: '' }))).toBe('127.0.0.1 (no User-Agent)')
})

test('a stranger has the name of the only wallet seen there; with two wallets it has none', () => {
  const { of } = setUp()
  const stranger = of(null, HERE)
  of('bw1a', HERE)
  expect(getClientName(stranger)).toBe('bw1a')
  of('bw1b', HERE)
  expect(getClientName(stranger)).toBe('127.0.0.1 bot')
})

test('the kin of a wallet are the strangers at its addresses', () => {
  const { of, kin } = setUp()
  const client = of('bw1a', HERE)
  const near = of(null, { ...HERE, userAgent: 'another' })
  const far = of(null, THERE)
  expect(kin(client)).toContain(near)
  expect(kin(client)).toContain(client)
  expect(kin(client)).not.toContain(far)
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
})
