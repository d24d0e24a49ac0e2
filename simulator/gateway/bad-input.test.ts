// Over real sockets: whatever one peer sends, it gets a clear rejection, and the other sockets stay served.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { connectRaw, lastResponse, type RawPeer } from '../http/test-raw-peer.ts'
import { createTestBed } from './test-bed.ts'
import type { FeedClient } from './test-client.ts'
import { closeCode, UPGRADE } from './test-upgrade.ts'

type Bed = Awaited<ReturnType<typeof createTestBed>>

/** Short timeouts in real time that still let a peer finish a request. */
const HASTY = { headersMs: 1000, requestMs: 1000, lookMs: 20, connectionsMax: 100 }

/** A socket that has to stay served; `check` verifies it. */
async function openWitness(bed: Bed): Promise<{ check(): Promise<void> }> {
  const client: FeedClient = await bed.signIn()
  client.send({ action: 'subscribe', room: 'pool_launches' })
  expect(await client.synchronize()).toEqual([])
  return {
    async check() {
      bed.emit({ launches: bed.pools.slice(0, 1) })
      await client.next('PoolLaunch')
      expect(await (await bed.signIn(bed.wallets.bob)).synchronize()).toEqual([])
    },
  }
}

async function upgraded(bed: Bed): Promise<RawPeer> {
  const peer = await connectRaw(bed.port)
  peer.write(UPGRADE)
  await peer.received('101 Switching Protocols')
  return peer
}

const MASK = [0, 0, 0, 0]

test.each<[string, number[], number]>([
  ['a text that is not UTF-8', [0x81, 0x82, ...MASK, 0xc3, 0x28], 1007],
  ['a text that ends within a character', [0x81, 0x81, ...MASK, 0xe2], 1007],
  ['a surrogate in UTF-8', [0x81, 0x83, ...MASK, 0xed, 0xa0, 0x80], 1007],
  ['a frame without a mask', [0x81, 0x02, 0x7b, 0x7d], 1002],
  ['a reserved bit', [0xc1, 0x80, ...MASK], 1002],
  ['an unknown opcode', [0x83, 0x80, ...MASK], 1002],
  ['a ping in pieces', [0x09, 0x80, ...MASK], 1002],
  ['a ping of 126 bytes', [0x89, 0xfe, 0, 126, ...MASK], 1002],
  ['a continuation of nothing', [0x80, 0x80, ...MASK], 1002],
  ['a close frame with half a code', [0x88, 0x81, ...MASK, 3], 1002],
  ['a close frame with a forbidden code', [0x88, 0x82, ...MASK, 0x03, 0xed], 1002],
  ['a frame of eight exabytes', [0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, ...MASK], 1009],
])('closes on %s', async (_name, bytes, code) => {
  const bed = await createTestBed()
  const witness = await openWitness(bed)
  const peer = await upgraded(bed)
  peer.write(Buffer.from(bytes))
  expect(closeCode(await peer.ended)).toBe(code)
  await witness.check()
})

const FLOOD = `${'x'.repeat(100)}: ${'y'.repeat(400)}\r\n`

test.each<[string, string, number]>([
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a flood of headers', `GET /ws HTTP/1.1\r\nHost: feed\r\n${FLOOD.repeat(2000)}\r\n`, 431],
  ['one header without end', `GET /ws HTTP/1.1\r\nHost: feed\r\nx: ${'x'.repeat(1_000_000)}`, 431],
  ['a path without end', `GET /${'x'.repeat(1_000_000)}`, 431],
  ['two lengths for one body', 'POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', 400],
  ['a body that never ends', 'POST /ws HTTP/1.1\r\nHost: feed\r\nContent-Length: 9\r\n\r\nabc', 426],
  ['a plain request', 'GET /ws HTTP/1.1\r\nHost: feed\r\n\r\n', 426],
  ['an upgrade at another path', UPGRADE.replace('/ws', '/../ws'), 404],
  ['an upgrade to another protocol', UPGRADE.replace('websocket', 'h2c'), 400],
  ['an upgrade without a key', UPGRADE.replace(/Sec-WebSocket-Key.*\r\n/, ''), 400],
  ['an upgrade of another version', UPGRADE.replace('Version: 13', 'Version: 12'), 400],
  ['an upgrade by POST', UPGRADE.replace('GET', 'POST'), 405],
])('answers %s', async (_name, bytes, status) => {
  const bed = await createTestBed()
  const witness = await openWitness(bed)
  const peer = await connectRaw(bed.port)
  peer.write(bytes)
  const response = await lastResponse(peer)
  expect(response.status).toBe(status)
  expect(errorBodySchema.strict().parse(JSON.parse(response.body)).code).toEqual(expect.any(String))
  await witness.check()
})

test('error responses have the date of the virtual clock', async () => {
  const bed = await createTestBed()
  const peer = await connectRaw(bed.port)
  peer.write('GET /ws HTTP/1.1\r\nHost: feed\r\n\r\n')
  const { head, body } = await lastResponse(peer)
  expect(errorBodySchema.strict().parse(JSON.parse(body)).code).toBe('upgrade_required')
  expect(head).toContain('Upgrade: websocket')
  expect(head).toContain('Date: Wed, 01 Jan 2025 00:00:00 GMT')
})

test.each([
  ['nothing', ''],
  ['half of a request line', 'GET /ws'],
  ['headers that do not end', 'GET /ws HTTP/1.1\r\nHost: feed\r\nx: '],
])('cuts a connection that sends %s, with 408', async (_name, bytes) => {
  const bed = await createTestBed({ http: HASTY })
  const witness = await openWitness(bed)
  const peer = await connectRaw(bed.port)
  peer.write(bytes)
  await witness.check()
  const { status, body } = await lastResponse(peer)
  expect([status, errorBodySchema.parse(JSON.parse(body)).code]).toEqual([408, 'invalid_request'])
  await witness.check()
})

test('ends a connection whose peer has ended its half', async () => {
  const bed = await createTestBed()
  const witness = await openWitness(bed)
  const peer = await upgraded(bed)
  expect(bed.gateway.sockets()).toHaveLength(2)
  const closed = bed.logged('socket 2 closed 1006')
  peer.socket.end()
  await closed
  expect(bed.gateway.sockets()).toHaveLength(1)
  await witness.check()
})

test('pings a silent peer, cuts it if it does not respond, and keeps one that does', async () => {
  const bed = await createTestBed()
  const witness = await openWitness(bed)
  const mute = await upgraded(bed)
  const pings: number[] = []
  mute.socket.on('data', (frame) => pings.push(frame[0] ?? 0))
  const answering = await bed.connect()
  const closed = bed.logged('socket 2 closed 1006')
  for (let beats = 0; beats < 3; beats++) {
    await answering.settle()
    bed.beat()
  }
  await closed
  await mute.ended
  expect(pings).toEqual([0x89])
  expect(bed.gateway.sockets().map(({ id }) => id)).toEqual([1, 3])
  await witness.check()
})

test('keeps a peer that only responds to pings', async () => {
  const bed = await createTestBed()
  const idle = await bed.connect()
  for (let beats = 1; beats <= 9; beats++) {
    const ping = once(idle.socket, 'ping')
    bed.beat()
    if (beats % 2 === 1) continue
    await ping
    await idle.settle()
  }
  expect(bed.gateway.sockets()).toHaveLength(1)
})

test('does not ping a peer that sends frames', async () => {
  const bed = await createTestBed()
  const client = await bed.signIn()
  let pings = 0
  client.socket.on('ping', () => pings++)
  for (let beats = 0; beats < 5; beats++) {
    await client.synchronize()
    bed.beat()
  }
  await client.synchronize()
  expect(pings).toBe(0)
})

test.each(['ping', 'pong'] as const)('closes on the 241st %s within a minute', async (control) => {
  const bed = await createTestBed()
  const witness = await openWitness(bed)
  const client = await bed.signIn()
  for (let sent = 0; sent < 240; sent++) client.socket[control]()
  expect(await client.synchronize()).toEqual([])
  client.socket[control]()
  expect(await client.closed).toEqual(defaultChoices.feed.closes.tooManyFrames)
  await witness.check()
})

const FEW = {
  ...defaultChoices,
  feed: { ...defaultChoices.feed, strangersPerAddressMax: 3, strangersMax: 5 },
}

test('limits unauthenticated connections per address; authenticating frees a place', async () => {
  const bed = await createTestBed({ choices: FEW })
  const witness = await openWitness(bed)
  await bed.connect()
  await bed.connect()
  const third = await bed.connect()
  const fourth = await connectRaw(bed.port)
  fourth.write(UPGRADE)
  const { status, head, body } = await lastResponse(fourth)
  expect([status, errorBodySchema.parse(JSON.parse(body)).code]).toEqual([429, 'rate_limited'])
  expect(head).toContain('Retry-After: 5')
  third.send({ action: 'authenticate', token: bed.issueTicket(bed.wallets.alice) })
  await third.next('authenticated')
  await witness.check()
  await upgraded(bed)
})

test('a place is free again when its connection is gone', async () => {
  const bed = await createTestBed({ choices: FEW })
  const clients = [await bed.connect(), await bed.connect(), await bed.connect()]
  const gone = bed.logged('socket 1 closed 1000')
  clients[0]?.socket.close(1000)
  await gone
  await upgraded(bed)
})

test('a connection that has not requested an upgrade takes a place too', async () => {
  const bed = await createTestBed({ choices: FEW })
  const silent = await Promise.all([1, 2, 3].map(() => connectRaw(bed.port)))
  const refused = await connectRaw(bed.port)
  refused.write(UPGRADE)
  expect((await lastResponse(refused)).status).toBe(429)
  for (const peer of silent) {
    peer.write('nonsense\r\n\r\n')
    await peer.ended
    peer.socket.destroy()
  }
  await upgraded(bed)
})

test('with a place left for another address, other addresses are still accepted', async () => {
  const bed = await createTestBed({ choices: FEW })
  const statuses: number[] = []
  for (const address of ['127.0.0.1', '127.0.0.2']) {
    for (let count = 0; count < 3; count++) {
      const peer = await connectRaw(bed.port, address)
      peer.write(UPGRADE)
      const response = await peer.received('\r\n\r\n')
      statuses.push(Number(response.split(' ')[1]))
    }
  }
  expect(statuses).toEqual([101, 101, 101, 101, 101, 503])
})

test('closes a connection above the total limit before it sends anything', async () => {
  const bed = await createTestBed({ http: { ...HASTY, connectionsMax: 2 } })
  const witnesses = [await bed.signIn(), await bed.signIn()]
  const refused = await connectRaw(bed.port)
  expect(await refused.ended).toHaveLength(0)
  for (const witness of witnesses) expect(await witness.synchronize()).toEqual([])
})
