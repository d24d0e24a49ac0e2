import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { UPGRADE } from '../../gateway/test-upgrade.ts'
import { connectRaw, lastResponse } from '../../http/test-raw-peer.ts'
import { faultPlanSchema } from '../fault-plan.ts'

const fault = 'ws-handshake-hang'

test('an upgrade gets no response, and its connection is cut at the timeout', async () => {
  const bed = await createTestBed()
  bed.inject({ fault, hangMs: 1000, when: { times: 1 } })
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  while (bed.decisions().length === 0) await new Promise(setImmediate)
  bed.clock.advance(999)
  await (await bed.connect()).settle()
  expect(peer.socket.readyState).toBe('open')
  bed.clock.advance(1)
  expect(String(await peer.ended)).toBe('')
  expect(bed.gateway.sockets()).toHaveLength(1)
})

test('when the feed shuts down, the connection is cut', async () => {
  const bed = await createTestBed()
  bed.inject({ fault })
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  while (bed.decisions().length === 0) await new Promise(setImmediate)
  await bed.gateway.close()
  expect(String(await peer.ended)).toBe('')
})

describe('ws-handshake-error', () => {
  const fault = 'ws-handshake-error'

  async function upgrade(port: number) {
    const peer = await connectRaw(port)
    peer.write(UPGRADE)
    return peer
  }

  test.each([
    [{}, 503, 'the feed is unavailable', undefined],
    [{ status: 429, retryAfterSeconds: 7 }, 429, 'too many connections', '7'],
  ])('with %j an upgrade gets %i', async (options, status, error, retryAfter) => {
    const bed = await createTestBed()
    bed.inject({ fault, ...options })
    const response = await lastResponse(await upgrade(bed.port))
    expect(response.status).toBe(status)
    expect(JSON.parse(response.body)).toEqual({ error, code: 'injected_fault', ref: null })
    expect(/^retry-after: (.*)$/im.exec(response.head)?.[1]).toBe(retryAfter)
    expect(bed.gateway.sockets()).toEqual([])
  })

  test('rejects the upgrades that trigger it, by number and by program; open sockets stay', async () => {
    const bed = await createTestBed()
    const client = await bed.join('pool_launches')
    bed.inject({ fault, when: { every: 2 }, where: { userAgents: ['bot/*'] } })
    const refused: string[] = []
    for (const userAgent of ['bot/1', 'page', 'bot/1', 'bot/2']) {
      await bed.connect({ userAgent }).catch(() => refused.push(userAgent))
    }
    expect(refused).toEqual(['bot/1'])
    expect(bed.decisions()).toEqual(['upgrade 2', 'upgrade 4!', 'upgrade 5'])
    bed.emit({ launches: bed.pools.slice(0, 1) })
    expect(await client.synchronize()).toHaveLength(1)
  })

  test('accepts two statuses', () => {
    const plan = { description: 'of a test', faults: [{ fault, status: 500 }] }
    expect(faultPlanSchema.safeParse(plan).error?.issues).toMatchObject([{ path: ['faults', 0, 'status'] }])
  })
})

test('the connection of an upgrade is reset; the next upgrade succeeds', async () => {
  const bed = await createTestBed()
  bed.inject({ fault: 'ws-handshake-reset', when: { times: 1 } })
  const peer = await connectRaw(bed.port)
  const ending = Promise.race([once(peer.socket, 'error'), once(peer.socket, 'end')])
  peer.write(UPGRADE)
  expect(await ending).toMatchObject([{ code: 'ECONNRESET' }])
  expect(String(await peer.ended)).toBe('')
  await bed.signIn()
  expect(bed.decisions()).toEqual(['upgrade 1!', 'upgrade 2'])
})

describe('ws-handshake-delay', () => {
  const fault = 'ws-handshake-delay'

  /** An upgrade that has arrived and has been decided on. */
  async function upgradeAt(bed: Awaited<ReturnType<typeof createTestBed>>) {
    const before = bed.decisions().length
    const peer = await connectRaw(bed.port)
    peer.write(UPGRADE)
    while (bed.decisions().length === before) await new Promise(setImmediate)
    return peer
  }

  test('an upgrade completes late; its five seconds to authenticate start then', async () => {
    const bed = await createTestBed()
    bed.inject({ fault, delayMs: 7000 }, { fault, delayMs: 1000 })
    const peer = await upgradeAt(bed)
    bed.clock.advance(7999)
    expect(bed.gateway.sockets()).toEqual([])
    bed.clock.advance(1)
    expect(bed.gateway.sockets()).toHaveLength(1)
    expect(await peer.received('\r\n\r\n')).toMatch(/^HTTP\/1.1 101 /)
    bed.clock.advance(4999)
    expect(bed.gateway.sockets()).toHaveLength(1)
    bed.clock.advance(1)
    expect(bed.gateway.sockets()).toEqual([])
  })

  test('frames sent after the upgrade are read then', async () => {
    const bed = await createTestBed()
    bed.inject({ fault, delayMs: 1000 })
    const peer = await upgradeAt(bed)
    peer.write(Buffer.from([0x89, 0x81, 0, 0, 0, 0, 0x41])) // a ping with one byte
    bed.clock.advance(1000)
    expect(await peer.received('\x8a\x01A')).toBeTruthy()
  })

  test('a peer that gives up while waiting opens no socket', async () => {
    const bed = await createTestBed()
    bed.inject({ fault, delayMs: 1000 })
    const peer = await upgradeAt(bed)
    const { nextAtMs } = bed.clock
    expect(nextAtMs()).toBeDefined()
    peer.socket.resetAndDestroy()
    while (nextAtMs() !== undefined) await new Promise(setImmediate)
    bed.clock.advance(1000)
    expect(bed.gateway.sockets()).toEqual([])
  })

  test('when the feed shuts down, waiting connections are cut', async () => {
    const bed = await createTestBed()
    bed.inject({ fault, delayMs: 1000 })
    const peer = await upgradeAt(bed)
    await bed.gateway.close()
    expect(String(await peer.ended)).toBe('')
  })
})

const REFUSED = 4401

test('a node rejects a ticket that it does not know yet, and accepts it later', async () => {
  const { inject, connect, issueTicket, wallets, clock, decisions } = await createTestBed({ nodes: 2 })
  inject({ fault: 'ws-ticket-delay', delayMs: 500, where: { nodes: [2] } })
  const token = issueTicket(wallets.alice)
  const other = issueTicket(wallets.alice)
  const [first, second] = [await connect(), await connect()]
  second.send({ action: 'authenticate', token })
  expect((await second.closed).code).toBe(REFUSED)
  first.send({ action: 'authenticate', token })
  expect(await first.next('authenticated')).toEqual({ control: 'authenticated' })
  clock.advance(500)
  await connect()
  const fourth = await connect()
  fourth.send({ action: 'authenticate', token: other })
  expect(await fourth.next('authenticated')).toEqual({ control: 'authenticated' })
  expect(decisions()).toEqual(['socket 2!'])
})

test('only for the given wallets, and as often as `when` allows', async () => {
  const { inject, connect, issueTicket, wallets } = await createTestBed()
  inject({
    fault: 'ws-ticket-delay',
    where: { clients: { addresses: [wallets.alice.address] } },
    when: { times: 1 },
  })
  const token = issueTicket(wallets.alice)
  const bob = await connect()
  bob.send({ action: 'authenticate', token: issueTicket(wallets.bob) })
  expect(await bob.next('authenticated')).toEqual({ control: 'authenticated' })
  const refused = await connect()
  refused.send({ action: 'authenticate', token })
  expect((await refused.closed).code).toBe(REFUSED)
  const again = await connect()
  again.send({ action: 'authenticate', token })
  expect(await again.next('authenticated')).toEqual({ control: 'authenticated' })
})
