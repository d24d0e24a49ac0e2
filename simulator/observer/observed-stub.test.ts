// What a stub tells its observer, over real requests and sockets: each finding by what makes it.
import { createPrivateKey, sign } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { faultPlanSchema } from '../faults/fault-plan.ts'
import { connectFeed, type FeedClient } from '../gateway/test-client.ts'
import { type Stub, type StubOptions, startStub } from '../stub.ts'

async function start(options: Partial<StubOptions> = {}): Promise<Stub> {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    examples: 'none',
    ...options,
  })
  onTestFinished(() => stub.close())
  return stub
}

async function control(stub: Stub, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${stub.profile.control}${path}`, {
    headers: { authorization: `Bearer ${stub.controlToken}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return (await response.json()) as Record<string, unknown> // as: the control API answers objects
}

type Found = { rule: string; client: string; observed: string; evidence: object[] }

async function findings(stub: Stub): Promise<Found[]> {
  return (await control(stub, '/findings')).findings as Found[]
}

const rulesFound = async (stub: Stub) => (await findings(stub)).map(({ rule }) => rule)
const ask = ({ profile }: Stub, path: string, init: RequestInit = {}) =>
  fetch(`${profile.baseUrl}${path}`, init)
const bearer = ({ apiTokens }: Stub, place = 0) => ({
  headers: { authorization: `Bearer ${apiTokens[place]}` },
})

async function ticket(stub: Stub, place = 0): Promise<string> {
  const { data } = (await (await ask(stub, '/auth/ws-ticket', bearer(stub, place))).json()) as {
    data: { ticket: string }
  }
  return data.ticket
}

const connect = ({ profile }: Stub, more = '') => connectFeed(`${profile.wsUrl}/ws${more}`)

async function authenticated(stub: Stub): Promise<FeedClient> {
  const feed = await connect(stub)
  feed.send({ action: 'authenticate', token: await ticket(stub) })
  await feed.next('authenticated')
  return feed
}

async function signIn(stub: Stub, alter: (message: string) => string = (message) => message) {
  const wallet = stub.wallets[1]
  const post = (path: string, body: object) =>
    ask(stub, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const challenge = await post('/auth/challenge', { address: wallet?.address })
  const { data } = (await challenge.json()) as { data: { message: string } }
  const key = createPrivateKey({ key: wallet?.privateKeyJwk ?? {}, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(alter(data.message)), { key, dsaEncoding: 'ieee-p1363' })
  const response = await post('/auth/verify', {
    address: wallet?.address,
    signature: signature.toString('hex'),
  })
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
  return { status: response.status, cookies, address: wallet?.address }
}

test('nothing is found against who does all right', async () => {
  const stub = await start()
  const { cookies } = await signIn(stub)
  await ask(stub, '/pools?limit=5', { headers: { cookie: cookies.join('; ') } })
  const feed = await authenticated(stub)
  feed.send({ action: 'subscribe', room: 'pool_launches' })
  await feed.synchronize()
  feed.send({ action: 'authenticate', token: await ticket(stub) })
  await feed.next('authenticated')
  expect(await findings(stub)).toEqual([])
})

test.each([
  ['an API token', (stub: Stub) => stub.apiTokens[0], ['client.secrets.not-in-urls']],
  ['a made-up text', () => 'a'.repeat(42), []],
])('%s in a query', async (_what, secret, found) => {
  const stub = await start()
  await ask(stub, `/pools?limit=1&key=${secret(stub)}`)
  expect(await rulesFound(stub)).toEqual(found)
})

test('the cookies of a session in a query, and a token in the address of a socket', async () => {
  const stub = await start()
  const { cookies } = await signIn(stub)
  for (const cookie of cookies) {
    await ask(stub, `/pools?limit=1&${cookie}`)
    await control(stub, '/clock/advance', { ms: 11_000 })
  }
  await connect(stub, `?token=${stub.apiTokens[0]}`)
  expect((await findings(stub)).map(({ observed }) => observed)).toEqual([
    'GET /pools with a session cookie in its URL',
    'GET /pools with a refresh cookie in its URL',
    'a socket opened with an API token in its URL',
  ])
})

test('a change by cookie without the CSRF token', async () => {
  const stub = await start()
  const { cookies, address } = await signIn(stub)
  await ask(stub, '/auth/logout', { method: 'POST', headers: { cookie: cookies.join('; ') } })
  expect(await findings(stub)).toMatchObject([
    {
      rule: 'client.csrf.sent',
      client: address,
      evidence: [{ route: '/auth/logout', credential: 'session' }],
    },
  ])
})

test.each([
  ['trimmed', (message: string) => message.trim(), ['client.message.exact']],
  ['normalized', (message: string) => message.normalize('NFC'), ['client.message.exact']],
  ['of another sign-in', (message: string) => `${message}2`, []],
])('a signature over a message that is %s', async (_what, alter, found) => {
  const stub = await start()
  expect((await signIn(stub, alter)).status).toBe(401)
  expect(await rulesFound(stub)).toEqual(found)
})

test('another spelling of a pool key, in a path and in a room', async () => {
  const stub = await start({ choices: 'odd' })
  const { data } = (await (await ask(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  await ask(stub, `/pools/${encodeURIComponent(key)}`)
  await ask(stub, `/pools/${encodeURIComponent(`${key}!`)}`)
  expect(await findings(stub)).toEqual([])
  await ask(stub, `/pools/${encodeURIComponent(key.normalize('NFC'))}`)
  expect((await findings(stub)).map(({ observed }) => observed)).toEqual([
    `asked for a pool by another spelling of its key, which is ${JSON.stringify(key)}`,
  ])
})

test('an empty page after the other', async () => {
  const stub = await start()
  for (const offset of [1000, 1100, 1200]) {
    await ask(stub, `/pools?limit=100&offset=${offset}`)
    await control(stub, '/clock/advance', { ms: 1 })
  }
  expect(await rulesFound(stub)).toEqual(['client.pools.pages-to-end'])
})

test('Retry-After, told and not heeded', async () => {
  const stub = await start({ rateLimit: { burst: 1, perSecond: 0.01, per: 'credential' } })
  for (let count = 0; count < 4; count++) {
    await ask(stub, '/fee-tiers', bearer(stub))
    await control(stub, '/clock/advance', { ms: 200 })
  }
  const [found] = await findings(stub)
  expect(found).toMatchObject({
    rule: 'client.429.waits',
    evidence: Array.from({ length: 3 }, () => ({ status: 429, retryAfterMs: expect.any(Number) })),
  })
})

test('a credential that is refused, again and again', async () => {
  const stub = await start()
  for (let count = 0; count < 6; count++) {
    await ask(stub, '/swaps', { headers: { authorization: 'Bearer ss_none' } })
    await control(stub, '/clock/advance', { ms: 1000 })
  }
  expect(await rulesFound(stub)).toEqual(['client.401.replaces'])
})

test('sockets: what comes first, what for a ticket, how large, which rooms', async () => {
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
  const { data } = (await (await ask(stub, '/pools?limit=33')).json()) as { data: { key: string }[] }
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

test('sockets: tickets that are used again, of another wallet, too late, not renewed', async () => {
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

test('messages that ask something: resync_required, and a new revision', async () => {
  const stub = await start()
  const { data } = (await (await ask(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  await ask(stub, `/pools/${encodeURIComponent(key)}/trades`, bearer(stub))
  const feed = await authenticated(stub)
  for (const room of [`trades:${key}`, 'protocol_config']) feed.send({ action: 'subscribe', room })
  await feed.synchronize()
  await control(stub, '/clock/advance', { ms: 1 })
  await control(stub, '/revision', { scope: 'pause', key: 'all' })
  await feed.next('ProtocolConfigChanged')
  await control(stub, '/reorg', { depth: 1 })
  await feed.next('resync_required')
  await control(stub, '/clock/advance', { ms: 35_000 })
  expect((await rulesFound(stub)).sort()).toEqual(['client.config.refetches', 'client.resync.refetches'])
})

test.each([
  [{ fault: 'http-truncated' }, []],
  [
    { fault: 'http-latency', latency: { distribution: 'fixed', ms: 2000 }, at: 'answer' },
    ['client.input.canonical'],
  ],
])('what an answer tells counts once it has gone out whole: %j', async (fault, found) => {
  const where = { routes: ['GET /pools'] }
  const faults = faultPlanSchema.parse({ description: 'On its way', faults: [{ ...fault, where }] })
  const stub = await start({ faults })
  const asked = ask(stub, '/pools?limit=007').then((response) => response.text())
  const ended = asked.catch(() => 'cut off')
  await vi.waitFor(async () => {
    await control(stub, '/clock/advance', { ms: 1000 })
    expect(await Promise.race([ended, 'not yet'])).not.toBe('not yet')
  })
  await ask(stub, '/tokens')
  expect(await rulesFound(stub)).toEqual(found)
})

test('what the world goes back from is held against nobody', async () => {
  const stub = await start()
  const { data } = (await (await ask(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  await ask(stub, `/pools/${encodeURIComponent(key)}/trades`, bearer(stub))
  await control(stub, '/clock/advance', { ms: 1000 })
  const { snapshot } = await control(stub, '/snapshot', {})
  const feed = await authenticated(stub)
  feed.send({ action: 'subscribe', room: `trades:${key}` })
  await feed.synchronize()
  await control(stub, '/revert', { snapshot })
  await feed.next('resync_required')
  await control(stub, '/clock/advance', { ms: 35_000 })
  expect(await findings(stub)).toEqual([])
})

test('tells of its clients, one for each wallet', async () => {
  const stub = await start()
  await ask(stub, '/pools')
  await ask(stub, '/fee-tiers', bearer(stub))
  await ask(stub, '/fee-tiers', bearer(stub))
  expect((await control(stub, '/clients')).clients).toMatchObject([
    { client: stub.wallets[1]?.address, requests: 3, openSockets: 0, findings: 0 },
  ])
})

test('observes nobody where it is told not to', async () => {
  const stub = await start({ observer: false })
  await ask(stub, '/pools?limit=007')
  expect(await control(stub, '/findings')).toEqual({ findings: [], last: 0, cases: {}, breaches: {} })
  expect(await control(stub, '/journal')).toEqual({ entries: [], last: 0 })
})
