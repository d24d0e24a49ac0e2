// Reports of a stub to its observer, over real requests and sockets: each finding with its cause.
import { createPrivateKey, sign } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { faultPlanSchema } from '../faults/fault-plan.ts'
import type { Stub } from '../stub.ts'
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

async function signIn(stub: Stub, alter: (message: string) => string = (message) => message, place = 1) {
  const wallet = stub.wallets[place]
  const post = (path: string, body: object) =>
    send(stub, path, {
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

test('finds nothing against a correct client', async () => {
  const stub = await start()
  const { cookies } = await signIn(stub)
  await send(stub, '/pools?limit=5', { headers: { cookie: cookies.join('; ') } })
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
  await send(stub, `/pools?limit=1&key=${secret(stub)}`)
  expect(await rulesFound(stub)).toEqual(found)
})

test('the cookies of a session in a query, and a token in the address of a socket', async () => {
  const stub = await start()
  const { cookies } = await signIn(stub)
  for (const cookie of cookies) {
    await send(stub, `/pools?limit=1&${cookie}`)
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
  await send(stub, '/auth/logout', { method: 'POST', headers: { cookie: cookies.join('; ') } })
  expect(await findings(stub)).toMatchObject([
    {
      rule: 'client.csrf.sent',
      client: address,
      evidence: [{ route: '/auth/logout', credential: 'session' }],
    },
  ])
})

/** As Python's `splitlines` does: without the last line end. */
const joinLines = (message: string) =>
  message
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .join('\n')

test.each([
  ['trimmed', (message: string) => message.trim(), ['client.message.exact']],
  ['normalized', (message: string) => message.normalize('NFC'), ['client.message.exact']],
  ['joined again from its lines', joinLines, ['client.message.exact']],
  ['without its last line end', (message: string) => message.slice(0, -1), ['client.message.exact']],
  ['trimmed and decomposed', (message: string) => message.trim().normalize('NFD'), ['client.message.exact']],
  [
    'with single spaces',
    (message: string) => message.trim().split(/\s+/).join(' '),
    ['client.message.exact'],
  ],
  ['of another sign-in', (message: string) => `${message}2`, []],
])('a signature over a message that is %s', async (_what, alter, found) => {
  const stub = await start()
  expect((await signIn(stub, alter)).status).toBe(401)
  expect(await rulesFound(stub)).toEqual(found)
})

test('more than 240 frames, of a room that is joined already', async () => {
  const stub = await start()
  const feed = await authenticated(stub)
  for (let sent = 0; sent < 240; sent++) feed.send({ action: 'subscribe', room: 'pool_launches' })
  await feed.next('error')
  expect(await rulesFound(stub)).toEqual(['client.frames.bounded'])
})

test('another spelling of a pool key, in a path and in a room', async () => {
  const stub = await start({ choices: 'alternative' })
  const { data } = (await (await send(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  await send(stub, `/pools/${encodeURIComponent(key)}`)
  await send(stub, `/pools/${encodeURIComponent(`${key}!`)}`)
  expect(await findings(stub)).toEqual([])
  await send(stub, `/pools/${encodeURIComponent(key.normalize('NFC'))}`)
  expect((await findings(stub)).map(({ observed }) => observed)).toEqual([
    `requested a pool by another spelling of its key, which is ${JSON.stringify(key)}`,
  ])
})

const plan = (...faults: object[]) => faultPlanSchema.parse({ description: 'For a wrong client', faults })

test.each([
  ['one program, on its connection', 1, ['client.429.waits']],
  ['two programs of the same wallet in turn', 2, []],
])('retries after half of Retry-After: %s', async (_what, programs, found) => {
  const stub = await start({
    faults: plan({ fault: 'http-429', limit: { mode: 'fixed', retryAfterSeconds: 1 } }),
  })
  const agents = Array.from({ length: programs }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  onTestFinished(() => {
    for (const agent of agents) agent.destroy()
  })
  for (let count = 0; count < 8; count++) {
    const requested = get(`${stub.profile.baseUrl}/fee-tiers`, {
      ...bearer(stub),
      agent: agents[count % programs],
    })
    const [response] = await once(requested, 'response')
    await once(response.resume(), 'end')
    await control(stub, '/clock/advance', { ms: 500 })
  }
  expect(await rulesFound(stub)).toEqual(found)
})

test.each([
  ['at 3, 307 and 614 ms', [3, 307, 614], ['client.refresh.retries-after-409']],
  ['after the winner', [], []],
])('a loser of a refresh race that retries %s', async (_what, timesMs, found) => {
  const latency = { distribution: 'fixed', ms: 3002 }
  const stub = await start({ faults: plan({ fault: 'refresh-window', latency }) })
  const { cookies } = await signIn(stub)
  await control(stub, '/clock/advance', { ms: 16 * 60_000 })
  const bySession = (more: string[] = cookies) => ({ headers: { cookie: more.join('; ') } })
  const refresh = () => send(stub, '/auth/refresh', { method: 'POST', ...bySession() })
  for (let tab = 0; tab < 2; tab++) expect((await send(stub, '/swaps', bySession())).status).toBe(401)
  const refreshes = [refresh(), refresh()]
  // The response to the winner is on its way for 3 s.
  expect((await Promise.race(refreshes)).status).toBe(409)
  let nowMs = 0
  for (const atMs of [...timesMs, 3002]) {
    await control(stub, '/clock/advance', { ms: atMs - nowMs })
    nowMs = atMs
    if (atMs < 3002) expect((await send(stub, '/swaps', bySession())).status).toBe(401)
  }
  const responses = await Promise.all(refreshes)
  const renewed = responses.flatMap(({ headers }) =>
    headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? ''),
  )
  for (let tab = 0; tab < 2; tab++) expect((await send(stub, '/swaps', bySession(renewed))).status).toBe(200)
  await control(stub, '/clock/advance', { ms: 31_000 })
  expect(await rulesFound(stub)).toEqual(found)
})

test.each([
  [{ fault: 'http-truncated' }, []],
  [
    { fault: 'http-latency', latency: { distribution: 'fixed', ms: 2000 }, at: 'response' },
    ['client.input.canonical'],
  ],
])('a response counts only when it has been sent completely: %j', async (fault, found) => {
  const where = { routes: ['GET /pools'] }
  const faults = faultPlanSchema.parse({ description: 'On its way', faults: [{ ...fault, where }] })
  const stub = await start({ faults })
  const requested = send(stub, '/pools?limit=007').then((response) => response.text())
  const ended = requested.catch(() => 'cut off')
  await vi.waitFor(async () => {
    await control(stub, '/clock/advance', { ms: 1000 })
    expect(await Promise.race([ended, 'not yet'])).not.toBe('not yet')
  })
  await send(stub, '/tokens')
  expect(await rulesFound(stub)).toEqual(found)
})

test('reverted events lead to no findings', async () => {
  const stub = await start()
  const { data } = (await (await send(stub, '/pools?limit=1')).json()) as { data: { key: string }[] }
  const key = data[0]?.key ?? ''
  await send(stub, `/pools/${encodeURIComponent(key)}/trades`, bearer(stub))
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

test('reports its clients, one for each wallet', async () => {
  const stub = await start()
  await send(stub, '/pools')
  await send(stub, '/fee-tiers', bearer(stub))
  await send(stub, '/fee-tiers', bearer(stub))
  expect((await control(stub, '/clients')).clients).toMatchObject([
    { client: stub.wallets[1]?.address, requests: 3, openSockets: 0, findings: 0 },
  ])
})

test('observes no client if disabled', async () => {
  const stub = await start({ observer: false })
  await send(stub, '/pools?limit=007')
  expect(await control(stub, '/findings')).toEqual({ findings: [], last: 0, duties: {} })
  expect(await control(stub, '/journal')).toEqual({ entries: [], last: 0, refused: 0 })
})
