import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTestBed } from '../gateway/test-bed.ts'
import type { Deviation, SocketDeviation } from './deviation.ts'

const CLOSE = { code: 4000, reason: 'deviates' }

/** A gateway whose sockets have these deviations. */
function bedWith(own: SocketDeviation, more: Deviation = {}) {
  return createTestBed({ deviation: { socket: () => own, ...more } })
}

test('an empty deviation changes nothing', async () => {
  const bed = await bedWith({})
  const room = `pool_stats:${bed.pools[0]?.key}`
  const client = await bed.join(room)
  expect(bed.gateway.sockets()).toMatchObject([{ rooms: 1 }])
  client.send({ action: 'unsubscribe', room })
  await client.synchronize()
  expect(bed.gateway.sockets()).toMatchObject([{ rooms: 0 }])
  bed.gateway.restart()
  expect(await client.closed).toEqual({ code: 1012, reason: expect.any(String) })
})

test('frames are dropped, replaced, replied to at once, or delayed', async () => {
  const bed = await bedWith({
    frame: ({ action, room }) => {
      if (action === 'unsubscribe') return 'drop'
      if (room === 'protocol_config') return { replaceWith: { action: 'subscribe', room: 'pool_launches' } }
      if (room === 'answer') return { respond: [{ control: 'one' }, { control: 'two' }] }
      return room === 'late' ? { afterMs: 50 } : undefined
    },
  })
  const client = await bed.join('protocol_config')
  client.send({ action: 'unsubscribe', room: 'pool_launches' })
  await client.synchronize()
  expect(bed.gateway.sockets()).toMatchObject([{ rooms: 1 }])
  client.send({ action: 'subscribe', room: 'answer' })
  expect((await client.synchronize()).map(({ control }) => control)).toEqual(['one', 'two'])
  client.send({ action: 'subscribe', room: 'late' })
  expect(await client.synchronize()).toEqual([])
  bed.clock.advance(50)
  expect(await client.next('error')).toMatchObject({ code: 'room_unknown' })
})

test('the journal has the messages that were sent, not those that were replaced', async () => {
  const bed = await bedWith({
    message: ({ control }) => {
      if (control === 'authenticated') return [{ control: 'hello' }, { control: 'authenticated' }]
      if (control === 'synchronized') return { afterMs: 50 }
      return control === 'error' ? [] : undefined
    },
  })
  const client = await bed.signIn()
  client.send({ action: 'subscribe', room: 'nowhere' })
  client.send({ action: 'synchronize' })
  await client.settle()
  expect(bed.sentControls()).toEqual(['hello', 'authenticated'])
  bed.clock.advance(50)
  await client.next('synchronized')
  expect(bed.sentControls()).toEqual(['hello', 'authenticated', 'synchronized'])
})

test.each([
  { name: 'with a code', action: { close: CLOSE }, code: 4000 },
  { name: 'without a close frame', action: 'cut' as const, code: 1006 },
])('a frame ends the socket $name', async ({ action, code }) => {
  const bed = await bedWith({ frame: (frame) => (frame.action === 'synchronize' ? action : undefined) })
  const client = await bed.signIn()
  client.send({ action: 'synchronize' })
  expect((await client.closed).code).toBe(code)
})

test('a frame joins a room without any check', async () => {
  const bed = await bedWith({ frame: ({ room }) => (room ? { joins: 'pool_launches' } : undefined) })
  const client = await bed.join('balances:nobody')
  bed.gateway.requireResync()
  expect(await client.synchronize()).toEqual([])
})

test('messages are dropped, repeated, changed, or delayed', async () => {
  const bed = await bedWith({
    message: (message) => {
      if (message.control === 'authenticated') return [message, { control: 'extra' }]
      return message.control === 'error' ? { afterMs: 50 } : []
    },
  })
  const client = await bed.signIn()
  expect(await client.next('extra')).toEqual({ control: 'extra' })
  client.send({ action: 'synchronize' })
  client.send({ action: 'subscribe', room: 'nowhere' })
  expect(await client.settle()).toEqual([])
  bed.clock.advance(50)
  expect(await client.next('error')).toMatchObject({ room: 'nowhere' })
})

test.each([
  { name: 'another code', close: () => CLOSE, code: 4000 },
  { name: 'no close frame', close: () => 'cut' as const, code: 1006 },
])('closes with $name', async ({ close, code }) => {
  const client = await (await bedWith({ close })).connect()
  client.send({ action: 'synchronize' })
  expect((await client.closed).code).toBe(code)
})

test('does not close, and still responds to pings', async () => {
  const bed = await bedWith({ close: () => null })
  const client = await bed.connect()
  client.send({ action: 'synchronize' })
  expect(await client.settle()).toEqual([])
  client.socket.close(4001)
  expect((await client.closed).code).toBe(4001)
})

test('accepts another text as a ticket, and moves deadlines', async () => {
  const ticket = { address: 'bw1x', principal: 'bw1x', issuedAtMs: 0 }
  const bed = await bedWith({
    ticket: (known, token) => known ?? (token === 'open' ? { ...ticket, expiresAtMs: 1e15 } : undefined),
    timerMs: (ms) => (ms === 5000 ? 2000 : ms),
  })
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: 'open' })
  await client.next('authenticated')
  expect(bed.gateway.sockets()).toMatchObject([{ address: 'bw1x' }])
  const late = await bed.connect()
  bed.clock.advance(2000)
  expect((await late.closed).code).toBe(4408)
})

test('joins rooms other than the acknowledged one, and does not leave', async () => {
  const bed = await bedWith({ join: () => [], leaves: () => false })
  await bed.join('pool_launches')
  expect(bed.gateway.sockets()).toMatchObject([{ rooms: 1 }])
  bed.gateway.requireResync()
})

test('counts frames that are handled as usual too', async () => {
  const counted: unknown[] = []
  const bed = await createTestBed({
    deviation: {
      socket: ({ received }) => ({
        leaves: () => {
          counted.push(received.get('unsubscribe'))
          return true
        },
      }),
    },
  })
  const client = await bed.join('pool_launches')
  client.send({ action: 'unsubscribe', room: 'pool_launches' })
  await client.synchronize()
  expect(counted[0]).toBe(1)
})

test('each socket deviates by its number, and all share one hub', async () => {
  const bed = await createTestBed({
    deviation: {
      socket: ({ number, received }, hub) => ({
        frame: ({ action }) => {
          hub.memory.set('frames', (hub.memory.get('frames') ?? 0) + 1)
          return number === 2 && action === 'synchronize'
            ? { respond: [{ control: `${received.get('synchronize')} of ${hub.memory.get('frames')}` }] }
            : undefined
        },
      }),
    },
  })
  const first = await bed.signIn()
  await first.synchronize()
  const second = await bed.signIn()
  second.send({ action: 'synchronize' })
  expect(await second.next('1 of 4')).toEqual({ control: '1 of 4' })
})

test('accepts larger frames, and knows of a restart', async () => {
  const bed = await createTestBed({
    deviation: {
      limits: { frameBytes: 4096 },
      socket: (_socket, hub) => ({
        message: () => (hub.restarted ? [{ control: 'after' }] : undefined),
      }),
    },
  })
  const client = await bed.signIn()
  client.send(JSON.stringify({ action: 'synchronize' }).padEnd(3000))
  await client.next('synchronized')
  bed.gateway.restart()
  await client.closed
  const other = await bed.connect()
  other.send({ action: 'authenticate', token: bed.issueTicket(bed.wallets.alice) })
  expect(await other.next('after')).toEqual({ control: 'after' })
})

test('the whole sign-in state can deviate', async () => {
  const bed = await createTestBed({
    deviation: { auth: (auth) => ({ redeemTicket: (text) => auth.redeemTicket(text.trim()) }) },
  })
  const client = await bed.connect()
  client.send({ action: 'authenticate', token: ` ${bed.issueTicket(bed.wallets.alice)} ` })
  await client.next('authenticated')
})

test('knows the credential in the handshake', async () => {
  const bed = await createTestBed({
    deviation: {
      socket: ({ authorization }) => ({
        frame: () => (authorization === 'Bearer ss_x' ? { respond: [{ control: 'welcome' }] } : undefined),
      }),
    },
  })
  const headers = { authorization: 'Bearer ss_x' }
  const socket = new WebSocket(`ws://127.0.0.1:${bed.port}/ws`, { headers })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'synchronize' }))
  const [message] = await once(socket, 'message')
  expect(JSON.parse(String(message))).toEqual({ control: 'welcome' })
})
