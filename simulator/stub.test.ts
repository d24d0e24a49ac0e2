import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { profileSchema, type Wallet } from '../contract/profile.ts'
import { challengeBodySchema } from '../contract/schemas/auth.ts'
import { poolBodySchema, poolsPageSchema } from '../contract/schemas/pools.ts'
import { errorBodySchema } from '../contract/schemas/wire.ts'
import { odd } from './choices/odd.ts'
import { connectFeed } from './gateway/test-client.ts'
import { type Stub, type StubOptions, startStub } from './stub.ts'
import { loadWorld } from './world/world.ts'

const TINY: StubOptions = { world: 'tiny', seed: 7, mutant: null, pace: 'manual' }

const ticketSchema = z.object({ data: z.object({ ticket: z.string() }) })
const revisionSchema = z.object({ revision: z.int() })

async function start(options: Partial<StubOptions> = {}): Promise<Stub> {
  const stub = await startStub({ ...TINY, ...options })
  onTestFinished(() => stub.close())
  return stub
}

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

test('carries its set of choices in its profile and its wallets', async () => {
  const { profile, wallets, apiTokens } = await start({ choices: 'odd' })
  const { rateLimit, publicPaths, ...choices } = profile.choices
  expect(choices).toEqual(odd.profile)
  expect(rateLimit).not.toBeNull()
  expect(publicPaths).toEqual([...Object.values(odd.paths), '/coinlist/v1/pairs'])
  for (const { address } of wallets) expect(odd.wire.address.decode(address)).toMatch(/^bw1/)
  const headers = { authorization: `Bearer ${apiTokens[0]}` }
  expect((await fetch(`${profile.baseUrl}/protocol/state`, { headers })).status).toBe(200)
})

test('follows real time where told to: blocks come by themselves', async () => {
  const stub = await start({ pace: 'real' })
  const feed = await authenticatedFeed(stub)
  const { data: pools } = await get({ stub, path: '/pools?limit=32' }, poolsPageSchema)
  for (const { key } of pools) feed.send({ action: 'subscribe', room: `pool_stats:${key}` })
  await feed.next('PoolStats')
})

test('answers while blocks take longer to mine than the interval between them, and leaves none out', async () => {
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

/**
 * Many turns of the event loop more than the requests take: where these get none they are answered after so many
 * blocks.
 */
const BLOCKS_MAX = 500

/** Keeps the process busy. */
function work(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('stands still where the clock is moved by hand', async () => {
  const stub = await start()
  const before = stub.world.clock.nowMs()
  const { headers } = await fetch(`${stub.profile.baseUrl}/health`)
  expect(headers.get('date')).toBe(new Date(before).toUTCString())
  expect(await control(stub, '/clock/advance', { ms: 5000 })).toEqual({ nowMs: before + 5000 })
  expect(stub.world.clock.nowMs()).toBe(before + 5000)
})

test('goes back to a snapshot, sign-ins included, and tells subscribers to resync', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'pool_launches' })
  await feed.synchronize()
  const { snapshot } = z.object({ snapshot: z.string() }).parse(await control(stub, '/snapshot', {}))
  const [, wallet] = stub.wallets
  if (!wallet) throw new Error('no second wallet')
  const cookie = await signIn(stub, wallet)
  const status = async () =>
    (await fetch(`${stub.profile.baseUrl}/access/status`, { headers: { cookie } })).status
  expect(await status()).toBe(200)
  await control(stub, '/revert', { snapshot })
  expect(await status()).toBe(401)
  expect(await feed.synchronize()).toEqual([{ control: 'resync_required' }])
})

test('a reset brings the start back: world, tokens, sign-ins, clock; sockets are closed', async () => {
  const stub = await start()
  const { world, profile, apiTokens } = stub
  const [, wallet] = stub.wallets
  if (!wallet) throw new Error('no second wallet')
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${profile.baseUrl}/access/status`, { headers })).status
  const blockStatus = async (name: string | number) => {
    const headers = { authorization: `Bearer ${apiTokens[0]}` }
    return (await fetch(`${profile.baseUrl}/debug/block/${name}`, { headers })).status
  }
  const { height } = world.views.head()
  const stands = async () => [
    [world.eventLogHash(), world.clock.nowMs()],
    [await blockStatus(height), await blockStatus(height + 1)],
  ]
  const before = await stands()
  const came = await control(stub, '/mine', { blocks: 20 }).then(() => world.eventLogHash())
  const cookie = await signIn(stub, wallet)
  const feed = await authenticatedFeed(stub)
  await control(stub, '/reset', {})
  expect(await stands()).toEqual(before)
  expect(await status({ cookie })).toBe(401)
  expect((await feed.closed).code).toBe(1012)
  // Secrets are drawn from where they were drawn then.
  expect(await signIn(stub, wallet)).toBe(cookie)
  await control(stub, '/mine', { blocks: 20 })
  expect(world.eventLogHash()).toBe(came)
})

test('the journal knows each request by the ref of its error body, and each socket', async () => {
  const stub = await start()
  const { ref } = z
    .object({ ref: z.string() })
    .parse(await (await fetch(`${stub.profile.baseUrl}/pools/none?secret=x`)).json())
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  await control(stub, '/sockets/close', { id: 1, code: 1001 })
  await feed.closed
  const authorization = `Bearer ${stub.controlToken}`
  const { entries } = z
    .object({ entries: z.array(z.unknown()) })
    .parse(await (await fetch(`${stub.profile.control}/journal`, { headers: { authorization } })).json())
  const request = {
    kind: 'request',
    method: 'GET',
    route: '/pools/:key',
    status: 404,
    code: 'pool_not_found',
  }
  expect(entries).toMatchObject([
    { ...request, ref, client: '127.0.0.1 node' },
    { kind: 'socket', socket: 1, event: 'opened' },
    { kind: 'socket', socket: 1, event: 'ending', closeCode: 1001 },
    { kind: 'control', route: '/sockets/close', status: 200 },
    { kind: 'socket', socket: 1, event: 'closed', closeCode: 1001, by: 'exchange' },
  ])
  expect(entries).toHaveLength(5)
})

test.runIf(process.platform === 'linux')(
  'keeps the control API on 127.0.0.1, whatever the host',
  async () => {
    const { profile } = await start({ host: '0.0.0.0' })
    const at = (url: string | null) => (url ?? '').replace('127.0.0.1', '127.0.0.2')
    expect((await fetch(at(`${profile.baseUrl}/health`))).status).toBe(200)
    await expect(fetch(at(`${profile.control}/status`))).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    })
  },
)

test('ends a connection 60 virtual seconds after its ticket', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  await control(stub, '/clock/advance', { ms: 60_000 })
  expect(await feed.closed).toEqual({ code: 4401, reason: 'ticket expired' })
})

test('tells the revision to the feed as it stands at the REST host', async () => {
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

test('hands out a profile, wallets and API tokens that are its own', async () => {
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

test('two stubs of one seed have the same world and wallets, other control tokens, and do not disturb each other', async () => {
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

test('goes on from a world that was dumped, with the wallets of its seed', async () => {
  const origin = await start({ seed: 3 })
  await control(origin, '/mine', { blocks: 20 })
  const stub = await start({ load: { dump: origin.world.dump(), source: 'it' } })
  expect(stub.world.eventLogHash()).toBe(origin.world.eventLogHash())
  expect(stub.world.clock.nowMs()).toBe(origin.world.clock.nowMs())
  expect(stub.wallets).toEqual(origin.wallets)
  const dumped = origin.world.eventLogHash()
  for (const one of [origin, stub]) await control(one, '/mine', { blocks: 20 })
  expect(stub.world.eventLogHash()).toBe(origin.world.eventLogHash())
  await control(stub, '/reset', {})
  expect(stub.world.eventLogHash()).toBe(dumped)
})

test('API tokens and sessions outlive a dump; a world dumped without a stub comes with new ones', async () => {
  const origin = await start()
  const [, wallet] = origin.wallets
  if (!wallet) throw new Error('no second wallet')
  const cookie = await signIn(origin, wallet)
  const { world: alone } = loadWorld({ dump: origin.world.dump() })
  const statuses = async (dump: Buffer) => {
    const stub = await start({ load: { dump, source: 'it' } })
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${stub.profile.baseUrl}/access/status`, { headers })).status
    const withTokenOf = ({ apiTokens }: Stub) => statusWith({ authorization: `Bearer ${apiTokens[0]}` })
    return [await statusWith({ cookie }), await withTokenOf(origin), await withTokenOf(stub)]
  }
  expect(await statuses(origin.world.dump())).toEqual([200, 200, 200])
  expect(await statuses(alone.dump())).toEqual([401, 401, 200])
})

test('refuses what is no dump, by its name', async () => {
  await expect(startStub({ ...TINY, load: { dump: Buffer.from('x'), source: 'it' } })).rejects.toMatchObject({
    code: 'dump_foreign',
    message: 'it: expected a dump of a world, found something else',
    exitCode: 2,
  })
})

test.each([
  ['--port', 'restPort'],
  ['--feed-port', 'feedPort'],
  ['--control-port', 'controlPort'],
] as const)('names a taken %s and closes what it had opened', async (option, key) => {
  const holder = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void holder.close())
  await once(holder, 'listening')
  const address = holder.address()
  const taken = typeof address === 'object' && address ? address.port : 0
  const free = await freePort()
  const other = key === 'restPort' ? 'feedPort' : 'restPort'
  await expect(startStub({ ...TINY, [other]: free, [key]: taken })).rejects.toMatchObject({
    name: 'BreakwaterError',
    message: `${option} ${taken}: the port is taken`,
    hint: `Name another port with ${option}, or 0 for any that is free.`,
    exitCode: 3,
  })
  const again = createServer().listen(free, '127.0.0.1')
  await once(again, 'listening') // the port is free again
  again.close()
})

test('metrics count the sockets and events of the feed', async () => {
  const stub = await start()
  const feed = await authenticatedFeed(stub)
  feed.send({ action: 'subscribe', room: 'protocol_config' })
  await feed.synchronize()
  await control(stub, '/revision', { scope: 'fee_tiers', key: '3000' })
  await feed.next('ProtocolConfigChanged')
  const text = await (await fetch(`${stub.profile.baseUrl}/metrics`)).text()
  for (const [name, value] of [
    ['feed_sockets', 1],
    ['feed_rooms', 1],
    ['feed_events_sent_total', 1],
    ['feed_events_dropped_total', 0],
    ['chain_height', stub.world.views.head().height],
  ])
    expect(text).toContain(`breakwater_${name} ${value}\n`)
})

test('the ref of an error finds its request in the log, and that one alone', async () => {
  const lines: string[] = []
  const stub = await start({ log: (line) => lines.push(line) })
  const refusalOf = async (path: string) => {
    const response = await fetch(`${stub.profile.baseUrl}${path}`)
    return errorBodySchema.parse(await response.json())
  }
  const refusals = [await refusalOf('/swaps'), await refusalOf('/nowhere'), await refusalOf('/pools?limit=0')]
  const found = refusals.map(({ ref }) => lines.filter((line) => line.includes(`"ref":"${ref}"`)))
  expect(found.map(({ length }) => length)).toEqual([1, 1, 1])
  expect(found.flat().map((line) => JSON.parse(line))).toMatchObject([
    { method: 'GET', route: '/swaps', status: 401, code: 'credentials_missing' },
    { method: 'GET', route: null, status: 404, code: 'not_found' },
    { method: 'GET', route: '/pools', status: 400, code: 'invalid_request' },
  ])
})

test('is not ready while it closes, and serves until its sockets have ended', async () => {
  const stub = await start()
  const ready = async () => {
    const response = await fetch(`${stub.profile.baseUrl}/ready`)
    return {
      status: response.status,
      code: z.object({ code: z.string().optional() }).parse(await response.json()).code,
    }
  }
  expect(await ready()).toEqual({ status: 200, code: undefined })
  const silent = await upgradeSilently(`${stub.profile.wsUrl}/ws`)
  const closed = stub.close()
  expect(await ready()).toEqual({ status: 503, code: 'not_ready' })
  silent.destroy()
  await closed
  await expect(ready()).rejects.toThrow()
})

test('refuses an unknown world', async () => {
  await expect(startStub({ ...TINY, world: 'atlantis' })).rejects.toMatchObject({ exitCode: 2 })
})

test('the mutants of the feed reach it', async () => {
  const stub = await start({ mutant: 'ws-no-deadline' })
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  await control(stub, '/clock/advance', { ms: 10_000 })
  expect(await feed.settle()).toEqual([])
})

test.each(['real', 'manual'] as const)(
  'close leaves nothing open, pace %s: the process ends',
  async (pace) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program(pace)],
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

/** Closes a stub to which are connected: an idle HTTP client, one that never sent a request, and a socket. */
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

/** A socket that answers nothing, not even a close frame. */
async function upgradeSilently(url: string): Promise<Duplex> {
  const upgrade = request(url.replace('ws:', 'http:'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    },
  }).end()
  const [, stream] = await once(upgrade, 'upgrade')
  return stream.on('error', () => {})
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

async function authenticatedFeed(stub: Stub) {
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const { data } = await get({ stub, path: '/auth/ws-ticket', headers }, ticketSchema)
  const feed = await connectFeed(`${stub.profile.wsUrl}/ws`)
  feed.send({ action: 'authenticate', token: data.ticket })
  await feed.next('authenticated')
  return feed
}

/** As a browser does it: WebCrypto, and the cookies of the answer. */
async function signIn(stub: Stub, { address, privateKeyJwk }: Wallet): Promise<string> {
  if (!privateKeyJwk) throw new Error('demo wallets carry their key')
  const challenge = await postJson(`${stub.profile.baseUrl}/auth/challenge`, { address })
  const { data } = challengeBodySchema.parse(await challenge.json())
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', privateKeyJwk, algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(data.message))
  const signature = Buffer.from(bytes).toString('hex')
  const response = await postJson(`${stub.profile.baseUrl}/auth/verify`, { address, signature })
  expect(response.status).toBe(200)
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

async function control(stub: Stub, path: string, body: object) {
  const response = await postJson(`${stub.profile.control}${path}`, body, {
    authorization: `Bearer ${stub.controlToken}`,
  })
  expect(response.status).toBe(200)
  return response.json()
}

function postJson(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function get<Schema extends z.ZodType>(
  { stub, path, headers = {} }: { stub: Stub; path: string; headers?: Record<string, string> },
  schema: Schema,
): Promise<z.output<Schema>> {
  const response = await fetch(`${stub.profile.baseUrl}${path}`, { headers })
  expect(response.status).toBe(200)
  return schema.parse(await response.json())
}
