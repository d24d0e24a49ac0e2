import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ROOM_EVENTS } from '../../contract/room-events.ts'
import { controlSchema, eventSchema } from '../../contract/schemas/wire.ts'
import type { BlockUpdate } from '../indexer/views/views.ts'
import { FEED_PATH, RESTART } from './feed-protocol.ts'
import { createTestBed, summarize } from './test-bed.ts'

const subscribe = (room: string) => ({ action: 'subscribe', room })

test('each room delivers its own type of event and nothing else', async () => {
  const bed = await createTestBed()
  const { alice } = bed.wallets
  const [pool, otherPool] = bed.pools
  if (!pool || !otherPool) throw new Error('no pools')
  const subjects: Record<string, string> = { 'balances:': alice.address }
  const clients = []
  for (const [kind, type] of Object.entries(ROOM_EVENTS)) {
    const client = await bed.signIn(alice)
    client.send(subscribe(kind.endsWith(':') ? `${kind}${subjects[kind] ?? pool.key}` : kind))
    expect(await client.synchronize()).toEqual([])
    clients.push({ client, type })
  }
  bed.emit(busyBlock({ pools: [pool, otherPool], address: alice.address }))
  for (const { client, type } of clients) {
    const events = (await client.synchronize()).map((message) => eventSchema.parse(message))
    expect(events.map((event) => event.type)).toEqual([type])
  }
})

test('sends the same frame to every socket in a room', async () => {
  const { emit, pools, signIn } = await createTestBed()
  const clients = [await signIn(), await signIn()]
  for (const client of clients) client.send(subscribe('pool_launches'))
  for (const client of clients) await client.synchronize()
  emit({ launches: pools.slice(0, 3) })
  const [first, second] = [await clients[0]?.synchronize(), await clients[1]?.synchronize()]
  expect(first).toHaveLength(3)
  expect(second).toEqual(first)
})

test('after a reorg every socket in a room gets resync_required before the events', async () => {
  const { emit, pools, signIn } = await createTestBed()
  const [subscriber, bystander] = [await signIn(), await signIn()]
  subscriber.send(subscribe('pool_launches'))
  await subscriber.synchronize()
  emit({ launches: pools.slice(0, 1), reorged: 3 })
  emit({ launches: pools.slice(0, 1) })
  const messages = await subscriber.synchronize()
  expect(messages.map(({ type, control }) => type ?? control)).toEqual([
    'resync_required',
    'PoolLaunch',
    'PoolLaunch',
  ])
  expect(await bystander.synchronize()).toEqual([])
})

test('a reorg discards events that wait for the fan-out, and they count as dropped', async () => {
  // One event per 1000 s: all wait.
  const { emit, gateway, join, pools } = await createTestBed({ fanOutRate: 0.001 })
  const subscriber = await join('pool_launches')
  emit({ launches: pools.slice(0, 1) })
  expect(gateway.events()).toEqual({ sent: 0, dropped: 0 })
  emit({ launches: pools.slice(0, 1), reorged: 3 })
  expect(summarize(await subscriber.synchronize())).toEqual(['resync_required'])
  expect(gateway.events()).toEqual({ sent: 0, dropped: 1 })
})

test('sends nothing to an unauthenticated socket', async () => {
  const { connect, emit, pools } = await createTestBed()
  const client = await connect()
  emit({ launches: pools })
  expect(await client.settle()).toEqual([])
})

test('drops events for a peer that does not read, requires it to resync, and keeps serving the others', async () => {
  const { emit, gateway, pools, signIn } = await createTestBed()
  const [slow, witness] = [await signIn(), await signIn()]
  for (const client of [slow, witness]) {
    client.send(subscribe('pool_launches'))
    await client.synchronize()
  }
  slow.socket.pause()
  const launches = Array.from({ length: 5 }, () => pools).flat()
  let emitted = 0
  // System buffers differ by machine: continue until events are dropped.
  while (gateway.sockets()[0]?.droppedEvents === 0) {
    emit({ launches })
    emitted += launches.length
    expect(await witness.settle()).toHaveLength(launches.length)
  }
  slow.socket.resume()
  expect(await slow.next('resync_required')).toEqual({ control: 'resync_required' })
  const [{ droppedEvents } = { droppedEvents: 0 }, other] = gateway.sockets()
  expect(droppedEvents).toBeGreaterThan(0)
  expect(droppedEvents).toBeLessThan(emitted)
  expect(other?.droppedEvents).toBe(0)
  emit({ launches: pools.slice(0, 1) })
  expect(await slow.synchronize()).toHaveLength(1)
})

test('restart closes every socket with 1012 and keeps listening', async () => {
  const { connect, gateway, signIn } = await createTestBed()
  const clients = [await connect(), await signIn()]
  expect(gateway.restart()).toBe(2)
  expect(gateway.sockets()).toEqual([])
  for (const client of clients) expect(await client.closed).toEqual(RESTART)
  expect(gateway.restart()).toBe(0)
  const again = await signIn()
  expect(await again.synchronize()).toEqual([])
})

test('close ends every socket with 1012, frees the port and stops following the world', async () => {
  const { connect, gateway, listenerCount, port, signIn } = await createTestBed()
  const clients = [await connect(), await signIn()]
  await gateway.close()
  for (const client of clients) expect(await client.closed).toEqual(RESTART)
  expect(listenerCount()).toBe(0)
  await expect(once(connectTcp(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  await gateway.close()
})

test('close cuts peers that ignore a close frame, send no request, or send half of one', async () => {
  const { connect, gateway, port } = await createTestBed()
  const mute = await connect()
  mute.socket.pause()
  const silent = connectTcp(port, '127.0.0.1')
  const halfway = connectTcp(port, '127.0.0.1')
  await Promise.all([once(silent, 'connect'), once(halfway, 'connect')])
  halfway.write('GET /ws HTTP/1.1\r\n')
  const cut = Promise.all([once(silent, 'close'), once(halfway, 'close')])
  for (const socket of [silent, halfway]) socket.on('error', () => {}).resume()
  await gateway.close()
  await cut
})

test('rejects listening on a taken port with the system error', async () => {
  const [bed, other] = [await createTestBed(), await createTestBed()]
  await other.gateway.close()
  await expect(other.gateway.listen({ host: '127.0.0.1', port: bed.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

test.each([
  ['/', 404],
  ['/ws/', 404],
  ['/socket?x=/ws', 404],
  ['/ws?x=1', 101],
])('responds to an upgrade at %s with %i', async (path, status) => {
  const { port } = await createTestBed()
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  const [answer] = await Promise.race([
    once(socket, 'unexpected-response').then(([, a]) => [a]),
    once(socket, 'upgrade'),
  ])
  expect(answer.statusCode).toBe(status)
  socket.on('error', () => {}).terminate()
})

test('responds to plain HTTP with 426', async () => {
  const { port } = await createTestBed()
  const response = await fetch(`http://127.0.0.1:${port}${FEED_PATH}`)
  expect(response.status).toBe(426)
})

test('every control it sends is a control', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.send('nonsense')
  client.send(subscribe('nonsense'))
  for (const message of await client.settle()) controlSchema.parse(message)
})

/** Everything happens in the first pool, and in another one whose rooms have no members. */
function busyBlock(options: { pools: BlockUpdate['poolStats']; address: string }): Partial<BlockUpdate> {
  const { pools, address } = options
  return {
    launches: pools.slice(0, 1),
    poolStats: pools,
    trades: pools.map((pool) => ({
      id: `trade-${pool.id}`,
      pool: pool.key,
      kind: 'swap' as const,
      amount0: 2n ** 80n,
      amount1: -5n,
      sqrtPriceX96: pool.sqrtPriceX96,
      tick: pool.tick,
      liquidity: pool.liquidity,
      price: '1.5',
      transaction: 'tx',
      user: null,
      block: 8,
      atMs: 0,
    })),
    candles: pools.map((pool) => ({
      pool: pool.key,
      interval: '1m' as const,
      startMs: 0,
      open: '1',
      high: '1',
      low: '1',
      close: '1',
      volume0: 1n,
      volume1: 1n,
    })),
    balanceChanges: pools
      .slice(0, 1)
      .map(({ token0: token }) => ({ address, token, delta: -1n, balance: 5n, block: 8 })),
    config: { revision: 4, observedBlock: 8, changes: [{ scope: 'pause', key: 'global' }] },
  }
}

test('rejects upgrades above the limit of sockets with 503, and opens the next one after a close', async () => {
  const { port, gateway, connect, logged } = await createTestBed({ socketsMax: 2 })
  await connect()
  await connect()
  const third = new WebSocket(`ws://127.0.0.1:${port}/ws`).on('error', () => {})
  const [, response] = await once(third, 'unexpected-response')
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
  const [body] = await once(response, 'data')
  expect(JSON.parse(String(body))).toEqual({ error: 'too many open sockets', code: 'feed_full', ref: null })
  const closed = logged('socket 1 closed 1012')
  gateway.closeSocket(1, RESTART)
  await closed
  await connect()
  expect(gateway.sockets()).toHaveLength(2)
})
