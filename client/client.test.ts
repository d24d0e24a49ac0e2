import { describe, expect, test } from 'vitest'
import type { ChoiceSetName } from '../contract/scenario-config.ts'
import { CHOICE_SETS } from '../simulator/choices/choices.ts'
import { testBed } from '../tools/clients/test-bed.ts'
import type { Client } from './client.ts'
import { createCookieJar } from './header-credential.ts'

const MINUTE_MS = 60_000
const TICKET = 'GET /auth/ws-ticket 200'

type Pool = { key: string; token0: string; token1: string; fee: string }

describe.each(Object.keys(CHOICE_SETS) as ChoiceSetName[])('with the choices %s', (choices) => {
  test('signs in once and reads every pool with any key', async () => {
    const { client, time, asked } = await testBed({ choices })
    const { exchange, signIn } = client()
    await time.until(signIn())
    const pools = await time.until(listPools(exchange))
    expect(new Set(pools.map(({ key }) => key)).size).toBe(pools.length)
    for (const pool of pools.slice(0, 3)) {
      expect(await time.until(exchange.get(`/pools/${encodeURIComponent(pool.key)}`))).toMatchObject({
        data: pool,
      })
    }
    const signIns = (await asked()).filter((line) => /verify/.test(line))
    expect(signIns).toHaveLength(1)
  })

  test('refreshes once after 15 minutes, however many requests get a 401', async () => {
    const { client, time, asked } = await testBed({ choices })
    const { exchange, signIn } = client()
    await time.until(signIn())
    await time.pass(16 * MINUTE_MS)
    await asked()
    const swaps = () => exchange.get('/swaps', { limit: '1' })
    await time.until(Promise.all([swaps(), swaps(), swaps()]))
    expect((await asked()).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'GET /swaps 200'),
      ...Array.from({ length: 3 }, () => 'GET /swaps 401'),
      'POST /auth/refresh 200',
    ])
  })

  test('two tabs with an expired session both continue without another sign-in', async () => {
    const { stub, client, time, asked } = await testBed({ choices })
    const [, wallet] = stub.wallets
    if (!wallet) throw new Error('no wallet')
    const jar = createCookieJar()
    const tabs = [client({ as: { wallet, jar } }), client({ as: { wallet, jar } })]
    await time.until(tabs[0]?.signIn() ?? Promise.reject())
    await time.pass(16 * MINUTE_MS)
    await asked()
    await time.until(Promise.all(tabs.map(({ exchange }) => exchange.get('/swaps'))))
    const lines = await asked()
    expect(lines.filter((line) => line === 'GET /swaps 200')).toHaveLength(2)
    expect(lines.filter((line) => /refresh/.test(line)).sort()).toEqual([
      'POST /auth/refresh 200',
      // Both share one session, or one of them loses.
      choices === 'alternative' ? 'POST /auth/refresh 200' : 'POST /auth/refresh 409',
    ])
    expect(lines.filter((line) => /verify/.test(line))).toEqual([])
  })

  test('keeps one undisturbed socket and loads its data once', async () => {
    const { client, time, asked } = await testBed({ choices })
    const { events } = await following(client(), time)
    expect(events.refetched).toBe(1)
    await asked()
    await time.pass(10 * MINUTE_MS)
    const lines = await asked()
    // A ticket each 30 to 40 seconds.
    const tickets = lines.filter((line) => line === TICKET).length
    expect(tickets).toBeGreaterThanOrEqual(15)
    expect(tickets).toBeLessThanOrEqual(20)
    expect(lines.filter((line) => /opened|closed/.test(line))).toEqual([])
    expect(events).toEqual({ refetched: 1, stopped: [] })
  })

  test('rejoins all rooms with a new ticket after a restart, and refetches', async () => {
    const { client, time, asked, control } = await testBed({ choices })
    const { events, rooms } = await following(client(), time)
    await asked()
    await control('/gateway/restart', {})
    await time.pass(5000)
    const lines = await asked()
    expect(lines.filter((line) => /opened|closed|ticket/.test(line))).toEqual([
      'closed 1012',
      TICKET,
      'opened',
    ])
    expect(events).toEqual({ refetched: 2, stopped: [] })
    expect(await control('/sockets')).toMatchObject({ sockets: [{ rooms: rooms.length }] })
  })

  test('refetches if events may have been missed', async () => {
    const { stub, client, time } = await testBed({ choices })
    const { events } = await following(client(), time)
    stub.world.reorg(2)
    await time.pass(1000)
    expect(events.refetched).toBe(2)
  })

  test('requotes after a new revision and uses no older quote', async () => {
    const { stub, client, time } = await testBed({ choices })
    const user = client()
    const { pool } = await following(user, time)
    const asked = { tokenIn: pool.token0, tokenOut: pool.token1, amountIn: '1000' }
    const before = await time.until(user.quotes.fetch(asked))
    expect(user.quotes.current()).toEqual([before])
    stub.world.changeConfig({ scope: 'fee_tiers', key: '3000' })
    stub.world.mine(1)
    await time.pass(1000)
    const [after] = user.quotes.current()
    expect(after?.revision).toBe(stub.world.chainRevision())
    expect(after?.revision).toBeGreaterThan(before?.revision ?? Number.POSITIVE_INFINITY)
  })

  test('delays all requests as long as a 429 requires', async () => {
    const rateLimit = { burst: 4, perSecond: 0.5, per: 'credential' } as const
    const { client, time, asked } = await testBed({ choices, rateLimit })
    const { exchange, signIn } = client()
    await time.until(signIn())
    const beganAtMs = time.tools.nowMs()
    await asked()
    await time.until(Promise.all(Array.from({ length: 6 }, () => exchange.get('/fee-tiers'))))
    expect(time.tools.nowMs() - beganAtMs).toBeGreaterThanOrEqual(4000)
    const limited = (await asked()).filter((line) => line === 'GET /fee-tiers 429')
    expect(limited.length).toBeLessThanOrEqual(4)
  })

  test('a wallet without access sends one request only', async () => {
    const { stub, client, time, asked } = await testBed({ choices })
    const wallet = stub.wallets.find(({ hasAccess }) => !hasAccess)
    if (!wallet) throw new Error('every wallet has access')
    const { exchange } = client({ as: { wallet } })
    for (let again = 0; again < 3; again++) {
      await expect(time.until(exchange.get('/swaps'))).rejects.toMatchObject({ status: 403 })
    }
    expect((await asked()).filter((line) => / 403/.test(line))).toHaveLength(1)
  })

  test('a bot with an API token works, and stops once its token is rejected', async () => {
    const { stub, client, time, control } = await testBed({ choices })
    const [apiToken = ''] = stub.apiTokens
    const { events } = await following(client({ as: { apiToken } }), time)
    await control('/gateway/restart', {})
    await time.pass(5000)
    expect(events).toEqual({ refetched: 2, stopped: [] })
    const { exchange } = client({ as: { apiToken: 'ss_none' } })
    await expect(time.until(exchange.get('/swaps'))).rejects.toThrow('create another one')
  })

  test('leaves nothing open after stop', async () => {
    const { client, time, control, asked } = await testBed({ choices })
    const user = client()
    await following(user, time)
    await following(user, time)
    await time.until(user.stop())
    await time.pass(5 * MINUTE_MS)
    expect(await control('/sockets')).toEqual({ sockets: [] })
    expect((await asked()).slice(-3).sort()).toEqual(['POST /auth/logout 200', 'closed 1000', 'closed 1000'])
    await expect(time.until(user.exchange.get('/swaps'))).rejects.toThrow('stopped')
  })
})

test('the logout is the last request of a client that stops while a retry waits', async () => {
  const { client, time } = await testBed()
  const sent: string[] = []
  const user = client({
    async fetch(url, init) {
      const { pathname } = new URL(String(url))
      sent.push(pathname)
      await time.tools.pause(20)
      return pathname === '/swaps'
        ? new Response('{}', { status: 503, headers: { 'retry-after': '5' } })
        : await fetch(url, init)
    },
  })
  await time.until(user.signIn())
  const read = user.exchange.get('/swaps').catch(String)
  await time.pass(1000)
  await time.until(user.stop())
  expect(await read).toBe('Error: the client has been stopped')
  await time.pass(MINUTE_MS)
  expect(sent).toEqual(['/auth/challenge', '/auth/verify', '/swaps', '/auth/logout'])
})

test('a client that stops during its sign-in ends the session and starts no other', async () => {
  const { client, time, asked } = await testBed()
  const user = client()
  const signedIn = user.signIn()
  await time.pass(10)
  await time.until(user.stop())
  await time.until(signedIn)
  await time.pass(MINUTE_MS)
  expect(await asked()).toEqual([
    'POST /auth/challenge 200',
    'POST /auth/verify 200',
    'POST /auth/logout 200',
  ])
})

test('requests behind the rate limit end when their client stops; the logout waits', async () => {
  const { client, time } = await testBed()
  const sent: string[] = []
  const user = client({
    async fetch(url, init) {
      const { pathname } = new URL(String(url))
      sent.push(pathname)
      await time.tools.pause(20)
      return pathname === '/swaps'
        ? new Response('{}', { status: 429, headers: { 'retry-after': '20' } })
        : await fetch(url, init)
    },
  })
  await time.until(user.signIn())
  const read = () => user.exchange.get('/swaps').catch(String)
  const beganAtMs = time.tools.nowMs()
  const first = read()
  await time.pass(1000)
  const second = read()
  await time.pass(1000)
  const stopped = user.stop()
  expect(await time.until(Promise.all([first, second]))).toEqual(
    Array.from({ length: 2 }, () => 'Error: the client has been stopped'),
  )
  expect(time.tools.nowMs() - beganAtMs).toBeLessThan(3000)
  await time.until(stopped)
  expect(time.tools.nowMs() - beganAtMs).toBeGreaterThanOrEqual(20_000)
  expect(sent).toEqual(['/auth/challenge', '/auth/verify', '/swaps', '/auth/logout'])
})

test('a client that stops during a refresh that gets 401 starts no other session', async () => {
  const { client, time } = await testBed()
  const sent: string[] = []
  const user = client({
    async fetch(url, init) {
      const { pathname } = new URL(String(url))
      sent.push(pathname)
      await time.tools.pause(20)
      return pathname === '/auth/challenge' || pathname === '/auth/verify'
        ? await fetch(url, init)
        : new Response('{}', { status: 401 })
    },
  })
  await time.until(user.signIn())
  const read = user.exchange.get('/swaps').catch(String)
  await time.pass(30)
  await time.until(user.stop())
  expect(await read).toBe('Error: the client has been stopped')
  await expect(time.until(user.signIn())).rejects.toThrow('stopped')
  await time.pass(MINUTE_MS)
  expect(sent).toEqual([
    '/auth/challenge',
    '/auth/verify',
    '/swaps',
    '/auth/refresh',
    // The logout may refresh the session that it ends.
    '/auth/logout',
    '/auth/refresh',
  ])
})

test('a client without a session sends nothing when it stops', async () => {
  const { client, time, asked } = await testBed()
  await time.until(client().stop())
  expect(await asked()).toEqual([])
})

/** A client on the feed in rooms of all kinds, after its first load. */
async function following(client: Client, time: Awaited<ReturnType<typeof testBed>>['time']) {
  await time.until(client.signIn())
  const [pool] = await time.until(listPools(client.exchange))
  if (!pool) throw new Error('there is no pool')
  const rooms = ['protocol_config', 'pool_launches', `trades:${pool.key}`, `pool_stats:${pool.key}`]
  const events = { refetched: 0, stopped: [] as unknown[] }
  const views = client.follow(rooms, {
    onRefetched: () => events.refetched++,
    onStop: (error) => events.stopped.push(error),
  })
  // An exchange need not acknowledge a ticket, and the client waits for that.
  await time.pass(3000)
  return { pool, rooms, views, events }
}

async function listPools(exchange: Client['exchange']): Promise<Pool[]> {
  return (await exchange.list('/pools')) as Pool[] // as: plain pool records
}
