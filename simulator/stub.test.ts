import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { profileSchema } from '../contract/profile.ts'
import { poolBodySchema, poolsPageSchema } from '../contract/schemas/pools.ts'
import { alternativeChoices } from './choices/alternative-choices.ts'
import { connectFeed } from './gateway/test-client.ts'
import { startStub } from './stub.ts'
import type { StubOptions } from './stub-options.ts'
import { authenticatedFeed, control, get, signIn, start, TINY, ticketSchema } from './test-started-stub.ts'

const revisionSchema = z.object({ revision: z.int() })

test('serves a wallet from sign-in to an event of the feed', async () => {
  const stub = await start()
  const { wallets, world } = stub
  const [, wallet] = wallets
  if (!wallet) throw new Error('no second wallet')
  const cookie = await signIn(stub, wallet)
  const ticket = await get({ stub, path: '/auth/ws-ticket', headers: { cookie } }, ticketSchema)
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  feed.send({ action: 'authenticate', token: ticket.data.ticket })
  await feed.next('authenticated')
  const { data: pools } = await get({ stub, path: '/pools?limit=31' }, poolsPageSchema)
  for (const { key } of pools) feed.send({ action: 'subscribe', room: `pool_stats:${key}` })
  expect(await feed.synchronize()).toEqual([])

  const { height } = world.views.head()
  const mined = await control(stub, '/mine', { blocks: 20 })
  expect(mined).toEqual({ block: height + 20 })
  const event = await feed.next('PoolStats')
  expect(pools.map(({ key }) => key)).toContain(event.data?.pool)
  const path = `/pools/${encodeURIComponent(String(event.data?.pool))}`
  const { data: pool } = await get({ stub, path }, poolBodySchema)
  expect(pool.key).toBe(event.data?.pool)
})

test('includes its set of choices in its profile and its wallets', async () => {
  const { profile, wallets, apiTokens } = await start({ choices: 'alternative' })
  const { rateLimit, publicPaths, ...choices } = profile.choices
  expect(choices).toEqual(alternativeChoices.profile)
  expect(rateLimit).not.toBeNull()
  expect(publicPaths).toEqual([...Object.values(alternativeChoices.paths), '/coinlist/v1/pairs'])
  for (const { address } of wallets) expect(alternativeChoices.wire.address.decode(address)).toMatch(/^bw1/)
  const headers = { authorization: `Bearer ${apiTokens[0]}` }
  expect((await fetch(`${profile.baseUrl}/protocol/state`, { headers })).status).toBe(200)
})

test('follows real time if requested: blocks come by themselves', async () => {
  const stub = await start({ pace: 'real' })
  const feed = await authenticatedFeed(stub)
  const { data: pools } = await get({ stub, path: '/pools?limit=32' }, poolsPageSchema)
  for (const { key } of pools) feed.send({ action: 'subscribe', room: `pool_stats:${key}` })
  await feed.next('PoolStats')
})

test('responds while blocks take longer to mine than the interval between them, and skips none', async () => {
  const stub = await start({ pace: 'real' })
  const { clock } = stub.world
  await control(stub, '/mining', { mode: 'interval', intervalMs: 1 })
  const blocks: { height: number; atMs: number }[] = []
  stub.world.onBlock(({ block }) => {
    blocks.push({ height: block.height, atMs: clock.nowMs() })
    if (blocks.length < BLOCKS_MAX) work(10)
  })
  while (blocks.length < 3) await get({ stub, path: '/health' }, z.unknown())
  await control(stub, '/mining', { mode: 'paused' })
  expect(blocks.length).toBeLessThan(BLOCKS_MAX)
  const [first] = blocks
  for (const [place, { height, atMs }] of blocks.entries()) {
    expect(height).toBe((first?.height ?? 0) + place)
    expect(atMs).toBe((first?.atMs ?? 0) + place)
  }
})

/** Many more turns of the event loop than the requests take: without yielding, responses come only after this many blocks. */
const BLOCKS_MAX = 500

function work(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('does not move if the clock is manual', async () => {
  const stub = await start()
  const before = stub.world.clock.nowMs()
  const { headers } = await fetch(`${stub.profile.baseUrl}/health`)
  expect(headers.get('date')).toBe(new Date(before).toUTCString())
  expect(await control(stub, '/clock/advance', { ms: 5000 })).toEqual({ nowMs: before + 5000 })
  expect(stub.world.clock.nowMs()).toBe(before + 5000)
})

test('ends a connection 60 virtual seconds after its ticket', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  await control(stub, '/clock/advance', { ms: 60_000 })
  expect(await feed.closed).toEqual({ code: 4401, reason: 'ticket expired' })
})

test('announces the revision to the feed as the REST host returns it', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'protocol_config' })
  await feed.synchronize()
  const change = { scope: 'fee_tiers', key: '3000' }
  const { revision } = revisionSchema.parse(await control(stub, '/revision', change))
  const event = await feed.next('ProtocolConfigChanged')
  expect(event.data).toMatchObject({ changes: [change] })
  expect(event.data?.revision).toBe(revision)
  const path = `/protocol/state?minimum_revision=${revision}`
  const state = await get({ stub, path }, z.object({ data: revisionSchema }))
  expect(state.data.revision).toBe(revision)
})

test('takes the key of a change as the REST host spells it', async () => {
  const stub = await start({ choices: 'alternative' })
  const pools = z.object({ data: z.array(z.object({ key: z.string(), enabled: z.boolean() })) })
  const [before] = (await get({ stub, path: '/pools' }, pools)).data
  await control(stub, '/revision', { scope: 'pause', key: before?.key })
  const { data } = await get({ stub, path: '/pools' }, pools)
  expect(data.find(({ key }) => key === before?.key)?.enabled).toBe(!before?.enabled)
  expect(stub.world.views.protocolState().paused).toBe(false)
})

test('returns its own profile, wallets and API tokens', async () => {
  const { profile, wallets, apiTokens } = await start({
    rateLimit: { burst: 40, perSecond: 20, per: 'address' },
  })
  expect(profileSchema.parse(profile)).toEqual(profile)
  expect(profile).toMatchObject({
    name: 'stub',
    choices: { rateLimit: { burst: 40, perSecond: 20, per: 'address' } },
    allow: { load: true, mutations: true },
  })
  expect(wallets).toHaveLength(22)
  expect(wallets.map(({ admin }) => admin).indexOf(true)).toBe(0)
  expect(wallets.map(({ hasAccess }) => hasAccess).indexOf(false)).toBe(21)
  expect(new Set(apiTokens).size).toBe(2)
  for (const token of apiTokens) {
    const authorization = `Bearer ${token}`
    const response = await fetch(`${profile.baseUrl}/access/status`, { headers: { authorization } })
    expect(await response.json()).toEqual({ data: { has_access: true } })
  }
})

test('two stubs of one seed have the same world and wallets, different control tokens, and do not affect each other', async () => {
  const [one, two] = [await start(), await start()]
  expect(two.world.eventLogHash()).toBe(one.world.eventLogHash())
  expect(two.wallets).toEqual(one.wallets)
  expect(two.controlToken).not.toBe(one.controlToken)
  const before = two.world.clock.nowMs()
  await control(one, '/clock/advance', { ms: 60_000 })
  expect(two.world.clock.nowMs()).toBe(before)
  await one.close()
  await get({ stub: two, path: '/health' }, z.unknown())
})

test('refuses an unknown world', async () => {
  await expect(startStub({ ...TINY, world: 'atlantis' })).rejects.toMatchObject({ exitCode: 2 })
})

test('the mutants of the feed take effect', async () => {
  const stub = await start({ mutant: 'ws-no-deadline' })
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  await control(stub, '/clock/advance', { ms: 10_000 })
  expect(await feed.settle()).toEqual([])
})

test.each(['real', 'manual'] as const)(
  'close releases everything, pace %s: the process ends',
  async (pace) => {
    const child = spawn(
      process.execPath,
      ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', program(pace)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 50_000, // a hang is killed, and shows as a signal
      },
    )
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect(output).toBe('closed\n')
  },
)

/** Closes a stub with three connections: an idle HTTP client, one that never sent a request, and a socket. */
function program(pace: StubOptions['pace']): string {
  return `
    import { once } from 'node:events'
    import { connect } from 'node:net'
    import { WebSocket } from 'ws'
    import { startStub } from ${JSON.stringify(new URL('./stub.ts', import.meta.url).href)}
    const stub = await startStub(${JSON.stringify({ ...TINY, pace })})
    await (await fetch(stub.profile.baseUrl + '/health')).text()
    const silent = connect(new URL(stub.profile.baseUrl).port, '127.0.0.1').on('error', () => {}).resume()
    const socket = new WebSocket(stub.profile.wsUrl + '/ws')
    await Promise.all([once(silent, 'connect'), once(socket, 'open')])
    await stub.close()
    console.log('closed')
  `
}
