// The virtual clock makes runs exact: a real client, the real stub, no network.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { faultPlanSchema } from '../simulator/faults/fault-plan.ts'
import { createInProcessRunner, createMemoryNetwork } from './run-in-process.ts'
import { huntWorldSchema } from './schedule.ts'
import { searchSchedules } from './search.ts'
import { createTestClient, marketFollower } from './test-clients.ts'

const world = huntWorldSchema.parse({ durationMs: 100_000 })

test('a right client does its work, and violates nothing', async () => {
  const run = await createInProcessRunner(createTestClient())([], world)
  expect(run.violations).toEqual([])
  expect(run.clientEnd).toBeNull()
  expect(run.situations).toEqual(
    expect.arrayContaining(['signed in', 'subscribed', 'synchronized', 'renewed', 'no socket']),
  )
  expect(run.routes).toEqual(
    expect.arrayContaining(['POST /auth/verify', 'GET /swaps', 'GET /auth/ws-ticket']),
  )
  expect(run.rooms).toEqual(['protocol_config', 'pool_launches', 'balances:*', 'trades:*', 'pool_stats:*'])
})

test('the same schedule ends the same, byte for byte, and so does the one that it took', async () => {
  const run = createInProcessRunner(createTestClient({ reconnectDelayMs: () => 0 }))
  const { faults: schedule } = faultPlanSchema.parse({
    description: 'of a test',
    faults: [
      { fault: 'ws-close', everyMs: 9000 },
      { fault: 'http-error', where: { routes: ['GET /swaps'] }, when: { probability: 0.3 } },
      { fault: 'http-reset', where: { routes: ['GET /swaps'] }, when: { every: 7, times: 5 } },
      {
        fault: 'http-latency',
        where: { routes: ['GET /swaps'] },
        latency: { distribution: 'uniform', minMs: 1, maxMs: 900 },
        when: { every: 3 },
      },
    ],
  })
  const first = await run(schedule, world)
  expect(first.violations.map(({ rule }) => rule)).toContain('client.reconnect.backs-off')
  expect(JSON.stringify(await run(schedule, world))).toBe(JSON.stringify(first))
  const again = await run(first.taken, world)
  expect(JSON.stringify(again)).toBe(JSON.stringify(first))
})

test('runs of one client in different worlds do not share a world', async () => {
  const run = createInProcessRunner(marketFollower)
  const results: string[] = []
  for (const seed of [7, 8, 7, 8]) {
    const { entries } = await run([], huntWorldSchema.parse({ seed, durationMs: 2000 }))
    results.push(JSON.stringify(entries))
  }
  const [first, second] = results
  expect(first).not.toBe(second)
  expect(results).toEqual([first, second, first, second])
})

test('a hunt finds a planted bug, shrinks it, and finds the same again', async () => {
  const wrong = createTestClient({ roomsToJoin: (wanted) => ['balances:0x01', ...wanted] })
  const hunt = () =>
    searchSchedules({
      run: createInProcessRunner(wrong),
      worlds: [world],
      seed: 3,
      schedulesMax: 2,
      isExact: true,
    })
  const report = await hunt()
  expect(report.findings).toMatchObject([
    { rule: 'client.rooms.own-balances', client: 'wallet 4', schedule: 0, minimum: { schedule: null } },
  ])
  expect(report.findings[0]?.minimum.world.durationMs).toBeLessThan(10_000)
  expect(JSON.stringify(await hunt())).toBe(JSON.stringify(report))
})

test('a client that fails, or does nothing, is reported and not judged', async () => {
  const options = { worlds: [world], seed: 1, schedulesMax: 2, isExact: true }
  const failing = createInProcessRunner(() => Promise.reject(new Error('no key')))
  await expect(searchSchedules({ ...options, run: failing })).rejects.toThrow(
    'the client failed in a run without faults: no key',
  )
  const idle = createInProcessRunner(() => {})
  await expect(searchSchedules({ ...options, run: idle })).rejects.toThrow(
    'the client sent nothing to the stub within 100 s',
  )
})

const ADDRESS = 'http://127.0.0.1:1'

/** A network with one server that never listens. */
function createTestNetwork(listener: RequestListener) {
  const server = createServer(listener)
  const network = createMemoryNetwork({
    hosts: [{ address: ADDRESS, accept: (stream: Duplex) => void server.emit('connection', stream) }],
    delay: async () => {},
  })
  return { server, network }
}

test('requests and responses arrive whole', async () => {
  const { network } = createTestNetwork(async (request: IncomingMessage, response) => {
    const { method, url, headers, socket } = request
    const body = await text(request)
    response.writeHead(
      201,
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-agent', String(headers['user-agent'])],
      ].flat(),
    )
    response.end(JSON.stringify({ method, url, body, from: socket.remoteAddress }))
  })
  const response = await network.fetch(`${ADDRESS}/swaps?limit=1`, {
    method: 'POST',
    headers: { 'user-agent': 'bot' },
    body: '{"µ":1}',
  })
  expect(response.status).toBe(201)
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('x-agent')).toBe('bot')
  expect(await response.json()).toEqual({
    method: 'POST',
    url: '/swaps?limit=1',
    body: '{"µ":1}',
    from: '127.0.0.1',
  })
  expect(network.deliveries()).toBeGreaterThan(1)
})

test.each([
  {
    what: 'reset',
    listener: (request: IncomingMessage) => void request.socket.resetAndDestroy(),
    says: 'read ECONNRESET',
  },
  {
    what: 'closed',
    listener: (request: IncomingMessage) => void request.socket.end(),
    says: 'socket hang up',
  },
])('a request whose connection is $what fails', async ({ listener, says }) => {
  const { network } = createTestNetwork(listener)
  await expect(network.fetch(`${ADDRESS}/pools`)).rejects.toThrow(says)
})

test('a request without a response ends when the client aborts it', async () => {
  const abort = new AbortController()
  const { network } = createTestNetwork(() => abort.abort())
  await expect(network.fetch(`${ADDRESS}/pools`, { signal: abort.signal })).rejects.toThrow('aborted')
})

test('nothing but the given hosts is reachable', async () => {
  const { network } = createTestNetwork(() => {})
  await expect(network.fetch('http://127.0.0.1:2/')).rejects.toThrow(
    'connect ECONNREFUSED 127.0.0.1:2: only the exchange of the hunt is reachable',
  )
})

test('sockets pass messages, and end when all connections are cut', async () => {
  const { server, network } = createTestNetwork(() => {})
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, stream, head) =>
    sockets.handleUpgrade(request, stream, head, (socket) =>
      socket.on('message', (data) => socket.send(`got ${data}`)),
    ),
  )
  const socket = new network.WebSocket('ws://127.0.0.1:1/ws')
  const received = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
  socket.once('open', () => socket.send('this'))
  expect(await received).toBe('got this')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  network.cutAll()
  expect(await closed).toBe(1006)
})
