import { expect, test, vi } from 'vitest'
import {
  authenticated,
  bearer,
  connect,
  control,
  findings,
  rulesFound,
  send,
  start,
  ticket,
} from './test-observed-stub.ts'

test('sockets: first frames, ticket texts, sizes, rooms', async () => {
  const stub = await start()
  const other = stub.wallets[5]?.address
  const early = await connect(stub)
  early.send({ action: 'subscribe', room: 'pool_launches' })
  await early.closed
  const wrong = await connect(stub)
  wrong.send({ action: 'authenticate', token: stub.apiTokens[0] })
  await wrong.closed
  const feed = await authenticated(stub)
  feed.send({ action: 'subscribe', room: `balances:${other}` })
  const { data } = (await (await send(stub, '/pools?limit=33')).json()) as { data: { key: string }[] }
  for (const room of ['pool_stats', 'trades', 'ohlcv'])
    for (const { key } of data.slice(0, 11)) feed.send({ action: 'subscribe', room: `${room}:${key}` })
  feed.send(JSON.stringify({ action: 'synchronize', note: 'x'.repeat(3000) }))
  await feed.closed
  await vi.waitFor(async () =>
    expect(await rulesFound(stub)).toEqual([
      'client.socket.authenticates-first',
      'client.ticket.only',
      'client.rooms.own-balances',
      'client.rooms.at-most-32',
      'client.frames.size',
    ]),
  )
})

test('sockets: tickets that are reused, of another wallet, late, or not renewed', async () => {
  const stub = await start()
  const feed = await connect(stub)
  const token = await ticket(stub)
  feed.send({ action: 'authenticate', token })
  await feed.next('authenticated')
  feed.send({ action: 'authenticate', token: await ticket(stub, 1) })
  await feed.closed
  const again = await connect(stub)
  again.send({ action: 'authenticate', token })
  await again.closed
  const late = await connect(stub)
  await control(stub, '/clock/advance', { ms: 5000 })
  await late.closed
  const ending = await authenticated(stub)
  await control(stub, '/clock/advance', { ms: 60_000 })
  await ending.closed
  const found = await findings(stub)
  expect(found.map(({ rule }) => rule)).toEqual([
    'client.ticket.same-principal',
    'client.ticket.fresh',
    'client.socket.authenticates-in-time',
    'client.ticket.renewed',
  ])
  expect(JSON.stringify(found)).not.toContain(token)
})

test.each([
  [
    'random waits of 5 to 65 ms that never grow',
    [41, 7, 63, 22, 35, 58, 12, 49, 30, 64],
    ['client.reconnect.backs-off'],
  ],
  ['waits that grow', [41, 107, 163, 22, 435, 358, 912, 1649, 730, 3064], []],
])('sockets that are closed before they are served, and %s', async (_what, waitsMs, found) => {
  const stub = await start()
  for (const ms of waitsMs) {
    const feed = await connect(stub)
    await control(stub, '/clock/advance', { ms: 100 })
    await control(stub, '/gateway/restart', {})
    expect((await feed.closed).code).toBe(1012)
    await control(stub, '/clock/advance', { ms })
  }
  await connect(stub)
  expect(await rulesFound(stub)).toEqual(found)
})

test('sockets: frames other than the four actions', async () => {
  const stub = await start()
  const feed = await authenticated(stub)
  for (const frame of ['ping', '{"action":"ping"}', '{"action":"subscribe"}', '["synchronize"]', 'null']) {
    feed.send(frame)
    await feed.next('error')
    await control(stub, '/clock/advance', { ms: 11_000 })
  }
  feed.send(Buffer.from('{"action":"synchronize"}'))
  await feed.next('error')
  expect(await rulesFound(stub)).toEqual(Array.from({ length: 5 }, () => 'client.frames.valid'))
})

/** A client that keeps three views of a pool, and restores its socket after a restart. */
async function restoreAfterRestart(act: (options: Restored) => Promise<void>): Promise<string[]> {
  const stub = await start()
  const { data } = (await (await send(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  const read = async (...parts: string[]) => {
    for (const part of parts) {
      await (await send(stub, `/pools/${encodeURIComponent(key)}/${part}`, bearer(stub))).text()
    }
    await control(stub, '/clock/advance', { ms: 1 })
  }
  const join = async (feed: Restored['feed']) => {
    for (const room of ['trades', 'pool_stats', 'ohlcv'])
      feed.send({ action: 'subscribe', room: `${room}:${key}` })
  }
  const first = await authenticated(stub)
  await join(first)
  await first.synchronize()
  await read('trades', 'stats', 'ohlcv')
  await control(stub, '/gateway/restart', {})
  await first.closed
  await control(stub, '/clock/advance', { ms: 500 })
  const feed = await authenticated(stub)
  await act({ stub, feed, read, join: () => join(feed) })
  // A renewal in time, and a minute for the refetch.
  for (let seconds = 0; seconds < 90; seconds += 45) {
    await control(stub, '/clock/advance', { ms: 45_000 })
    feed.send({ action: 'authenticate', token: await ticket(stub) })
    await feed.next('authenticated')
  }
  return (await findings(stub)).map(({ rule, observed }) => `${rule}: ${observed.split(':')[0]}`)
}

type Restored = {
  stub: Awaited<ReturnType<typeof start>>
  feed: Awaited<ReturnType<typeof authenticated>>
  read(...parts: string[]): Promise<void>
  join(): Promise<void>
}

const missed = (count: number) =>
  `client.reconnect.refetches: ${count} of 3 views were not read again within 30 s of \`synchronized\` on socket 2, which replaced a lost one`

test.each<[string, (restored: Restored) => Promise<void>, string[]]>([
  [
    'rereads everything after synchronized',
    async ({ feed, join, read }) => {
      await join()
      await feed.synchronize()
      await read('trades', 'stats', 'ohlcv')
    },
    [],
  ],
  [
    'rereads before synchronized only',
    async ({ feed, join, read }) => {
      await join()
      await read('trades', 'stats', 'ohlcv')
      await feed.synchronize()
    },
    [missed(3)],
  ],
  [
    'synchronizes before it joins its rooms',
    async ({ feed, join, read }) => {
      await feed.synchronize()
      await join()
      await read('trades', 'stats', 'ohlcv')
    },
    [
      'client.reconnect.synchronizes: socket 2 replaced a lost one 30 s ago, but joined 3 of its rooms after synchronize',
    ],
  ],
])('a client that %s after a reconnect', async (_what, act, found) => {
  expect(await restoreAfterRestart(act)).toEqual(found)
})
