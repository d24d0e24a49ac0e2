import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createClock } from '../simulator/clock.ts'
import { virtualTime } from '../tools/clients/test-bed.ts'
import { RIGHT_CONDUCT } from './conduct.ts'
import { openFeedSocket } from './feed-socket.ts'

type Peer = { send(frame: object | string): void; frames: string[]; closed: boolean }

test('joins only once it is authenticated, and is ready only once all rooms are joined', async () => {
  const { time, peer, told } = await connect()
  expect(peer.frames).toEqual(['authenticate', 'synchronize'])
  peer.send({ control: 'welcome' })
  peer.send({ control: 'synchronized' })
  await time.pass(1)
  expect(peer.frames.slice(2)).toEqual(['subscribe', 'subscribe', 'synchronize'])
  expect(told).toEqual([])
  peer.send({ control: 'synchronized' })
  await time.pass(1)
  expect(told).toEqual(['ready'])
})

test('asks a silent peer for a sign of life, and leaves one that gives none', async () => {
  const { time, peer, told } = await connect({ isJoined: true })
  await time.pass(14_000)
  expect(peer.frames.slice(5)).toEqual([])
  await time.pass(6000)
  expect(peer.frames.slice(5)).toEqual(['synchronize'])
  peer.send({ control: 'synchronized' })
  await time.pass(14_000)
  expect(told).toEqual(['ready'])
  await time.pass(20_000)
  expect(told).toEqual(['ready', 'end undefined'])
  expect(peer.closed).toBe(true)
})

test('leaves a peer that does not let it join within 15 seconds', async () => {
  const { time, peer, told } = await connect()
  await time.pass(14_000)
  expect(told).toEqual([])
  await time.pass(2000)
  expect(told).toEqual(['end undefined'])
  expect(peer.closed).toBe(true)
})

test('takes what cannot be read for something missed, and controls that it does not know for nothing', async () => {
  const { time, peer, told } = await connect({ isJoined: true })
  for (const frame of [
    { control: 'tea' },
    { type: 'Trade', data: {} },
    { type: 7 },
    '{"type":',
    { control: 'resync_required' },
  ]) {
    peer.send(frame)
  }
  await time.pass(1)
  expect(told).toEqual(['ready', 'Trade', 'missed', 'missed'])
})

test('tells how long to stay away where the handshake is refused', async () => {
  const { told } = await connect({
    refusal: 'HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n',
  })
  expect(told).toEqual(['end 5000'])
})

/** A socket to a bare peer, on a clock of its own. */
async function connect({ isJoined, refusal }: { isJoined?: true; refusal?: string } = {}) {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    ...(refusal && {
      verifyClient: ({ req }: { req: IncomingMessage }) => void req.socket.end(refusal),
    }),
  })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const clock = createClock({ startMs: 0 })
  const time = virtualTime({ clock, advance: clock.advance })
  const peer: Peer = { send() {}, frames: [], closed: false }
  server.on('connection', (socket) => {
    peer.send = (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    socket.on('message', (bytes) => peer.frames.push(JSON.parse(String(bytes)).action))
    socket.on('close', () => {
      peer.closed = true
    })
  })
  const told: string[] = []
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const socket = openFeedSocket({
    url: `ws://127.0.0.1:${port}/ws`,
    headers: {},
    ticket: { text: 'ticket', askedAtMs: 0 },
    rooms: ['pool_launches', 'protocol_config'],
    isReconnect: false,
    timers: time.timers,
    conduct: RIGHT_CONDUCT,
    onReady: () => told.push('ready'),
    onEvent: ({ type }) => told.push(type),
    onMissed: () => told.push('missed'),
    onEnd: (retryAfterMs) => told.push(`end ${retryAfterMs}`),
  })
  onTestFinished(() => socket.end('now'))
  await time.pass(1)
  for (let step = 0; isJoined && step < 2; step++) {
    peer.send({ control: 'synchronized' })
    await time.pass(1)
  }
  return { time, peer, told }
}
