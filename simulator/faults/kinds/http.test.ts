import { once } from 'node:events'
import { expect, test } from 'vitest'
import { demoWallets } from '../../auth/wallets.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { createRandom } from '../../random.ts'
import { createFaultyExchange, eventLoopTurns } from '../test-faulty-exchange.ts'

const requests = (count: number, url = '/health') => Array.from({ length: count }, () => url)

test('fixed: on each request that it decides on, with the configured Retry-After', async () => {
  const { send, statuses } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'fixed', retryAfterSeconds: 7 }, when: { times: 1 } },
  ])
  const refused = await send('/pools')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '7'])
  expect(refused.json()).toEqual({ error: 'too many requests', code: 'rate_limited', ref: 'r0000001' })
  expect(await statuses(['/pools'])).toEqual([200])
})

test('the body may be the HTML page of a proxy: a client that parses it as JSON fails', async () => {
  const { send } = await createFaultyExchange([{ fault: 'http-429', body: 'html' }])
  const { statusCode, headers, body } = await send('/pools')
  expect([statusCode, headers['content-type'], headers['retry-after']]).toEqual([
    429,
    'text/html; charset=utf-8',
    '1',
  ])
  expect(body).toContain('429 Too Many Requests')
})

test('burst: rejects everything for a while, and Retry-After is the remaining time', async () => {
  const { send, statuses, world, decisions } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'burst', lastsMs: 5000 }, when: { every: 3 } },
  ])
  expect(await statuses(requests(4))).toEqual([200, 200, 429, 429])
  world.clock.advance(1500)
  const { statusCode, headers } = await send('/health')
  expect([statusCode, headers['retry-after']]).toEqual([429, '4'])
  world.clock.advance(3500)
  expect(await statuses(requests(3))).toEqual([200, 200, 429])
  expect(decisions().map(({ triggered }) => triggered)).toEqual([false, false, true, false, false, true])
})

test('burst: ends in time even if the clock moves back', async () => {
  const { statuses, world } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'burst', lastsMs: 5000 }, when: { times: 1 } },
  ])
  const snapshot = world.snapshot()
  world.clock.advance(60_000)
  expect(await statuses(requests(1))).toEqual([429])
  world.revert(snapshot)
  world.clock.advance(4999)
  expect(await statuses(requests(1))).toEqual([429])
  world.clock.advance(1)
  expect(await statuses(requests(1))).toEqual([200])
})

test('token bucket: a burst, then a rate per second, with Retry-After until the next token', async () => {
  const { send, statuses, world } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'token-bucket', burst: 3, perSecond: 0.5 } },
  ])
  expect(await statuses(requests(4))).toEqual([200, 200, 200, 429])
  expect((await send('/health')).headers['retry-after']).toBe('2')
  world.clock.advance(2000)
  expect(await statuses(requests(2))).toEqual([200, 429])
})

test.each([
  { per: 'all', limited: [200, 429, 429, 429, 429, 429] },
  { per: 'route', limited: [200, 429, 200, 429, 429, 429] },
  { per: 'client', limited: [200, 429, 429, 200, 429, 200] },
  { per: 'client-and-route', limited: [200, 429, 200, 200, 200, 200] },
])('per $per: which clients share a bucket', async ({ per, limited }) => {
  const limit = { mode: 'token-bucket', burst: 1, perSecond: 0.001 }
  const { send, bed } = await createFaultyExchange([{ fault: 'http-429', limit, per }])
  const { headers: wallet } = bed.bearer()
  const found: number[] = []
  for (const [url, headers] of [
    ['/health', {}],
    ['/health', {}],
    ['/ready', {}],
    ['/health', { 'user-agent': 'another' }],
    ['/ready', { 'user-agent': 'another' }],
    ['/health', { ...wallet, 'user-agent': 'another' }],
  ] as const)
    found.push((await send(url, { headers })).statusCode)
  expect(found).toEqual(limited)
})

test('per address: all clients behind one address share a bucket', async () => {
  const limit = { mode: 'token-bucket', burst: 1, perSecond: 0.001 }
  const { bed } = await createFaultyExchange([{ fault: 'http-429', limit, per: 'address' }])
  const request = async (remoteAddress: string, headers = {}) =>
    (await bed.app.inject({ url: '/health', remoteAddress, headers })).statusCode
  const { headers } = bed.bearer()
  expect([
    await request('10.0.0.1'),
    await request('10.0.0.1', headers),
    await request('10.0.0.2', headers),
  ]).toEqual([200, 429, 200])
})

test('affects one program only', async () => {
  const { send } = await createFaultyExchange([
    { fault: 'http-429', where: { clients: { userAgents: ['bot/*'] } } },
  ])
  expect((await send('/health')).statusCode).toBe(200)
  expect((await send('/health', { headers: { 'user-agent': 'bot/2' } })).statusCode).toBe(429)
})

test('affects one wallet only', async () => {
  const [, trader] = demoWallets({ random: createRandom(1), count: 2 })
  const { send, bed } = await createFaultyExchange([
    { fault: 'http-429', where: { clients: { addresses: [trader?.address] } } },
  ])
  expect((await send('/health')).statusCode).toBe(200)
  expect((await send('/health', bed.bearer(bed.wallets.admin))).statusCode).toBe(200)
  expect((await send('/health', bed.bearer(bed.wallets.trader))).statusCode).toBe(429)
})

test('returns 503 in the error format of the exchange, on every second request to a route', async () => {
  const { send, statuses } = await createFaultyExchange([
    { fault: 'http-error', where: { routes: ['GET /pools*'] }, when: { every: 2 }, retryAfterSeconds: 2 },
  ])
  expect(await statuses(['/pools', '/protocol/state'])).toEqual([200, 200])
  const refused = await send('/pools')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2'])
  expect(refused.json()).toEqual({
    error: 'the service is unavailable',
    code: 'injected_fault',
    ref: 'r0000003',
  })
  expect(await statuses(['/pools/unknown'])).toEqual([404])
})

test('sends Retry-After as a date if the exchange does', async () => {
  const { send, world } = await createFaultyExchange(
    [{ fault: 'http-error', status: 500, retryAfterSeconds: 90 }],
    { choices: alternativeChoices },
  )
  const { statusCode, headers } = await send('/health')
  expect(statusCode).toBe(500)
  expect(Date.parse(String(headers['retry-after']))).toBe(world.clock.nowMs() + 90_000)
})

test.each([
  { body: 'html', type: 'text/html; charset=utf-8', says: /^<html>[\s\S]*<h1>502 Bad Gateway<\/h1>/ },
  { body: 'none', type: 'text/plain', says: /^$/ },
])('has a body of $body', async ({ body, type, says }) => {
  const { send } = await createFaultyExchange([{ fault: 'http-error', status: 502, body }])
  const response = await send('/pools')
  expect(response).toMatchObject({ statusCode: 502, headers: { 'content-type': type } })
  expect(response.body).toMatch(says)
  expect(response.headers['retry-after']).toBeUndefined()
})

test.each(['request', 'response'])('delays at the %s, by the virtual clock', async (at) => {
  const latency = { distribution: 'fixed', ms: 250 }
  const { send, bed, world } = await createFaultyExchange([{ fault: 'http-latency', at, latency }])
  let ended = false
  const path = '/auth/challenge'
  const response = send(path, { method: 'POST', body: { address: bed.wallets.trader.address } })
  response.then(() => (ended = true))
  await eventLoopTurns()
  world.clock.advance(249)
  await eventLoopTurns()
  expect(ended).toBe(false)
  world.clock.advance(1)
  expect((await response).statusCode).toBe(200)
})

test('two faults that delay add up', async () => {
  const latency = { distribution: 'fixed', ms: 100 }
  const { send, world } = await createFaultyExchange([
    { fault: 'http-latency', latency },
    { fault: 'http-latency', latency },
  ])
  let ended = false
  const response = send('/health').then(() => (ended = true))
  await eventLoopTurns()
  world.clock.advance(199)
  await eventLoopTurns()
  expect(ended).toBe(false)
  world.clock.advance(1)
  await response
})

test('sends the body in pieces over a real socket', async () => {
  const { send, sendRaw, world, active } = await createFaultyExchange([
    { fault: 'http-bandwidth', bytesPerSecond: 1000 },
  ])
  const { received } = await sendRaw('GET /protocol/state')
  const head = await received('\r\n\r\n')
  expect(head.split('\r\n\r\n')[1]).toBe('')
  active.clear()
  const { body } = await send('/protocol/state')
  expect(head).toContain(`content-length: ${body.length}\r\n`)
  world.clock.advance(100)
  expect(await received(body.slice(0, 100))).not.toContain(body.slice(0, 101))
  for (let sent = 100; sent < body.length; sent += 100) {
    world.clock.advance(100)
    await eventLoopTurns()
  }
  await received(body)
})

test.each([
  { at: 'request', logged: { lost: 'reset' } },
  { at: 'response', logged: { status: 200, lost: 'reset' } },
])('cuts a real socket at the $at', async ({ at, logged }) => {
  const { sendRaw, bed } = await createFaultyExchange([{ fault: 'http-reset', at }])
  const { socket, ended } = await sendRaw('GET /protocol/state')
  const [error] = await once(socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  expect(String(await ended)).toBe('')
  expect(bed.logLines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining(logged)])
})

test.each(['request', 'response'])('leaves a real socket open without a response, at the %s', async (at) => {
  const { send, sendRaw, decisions } = await createFaultyExchange([
    { fault: 'http-hang', at, when: { times: 1 } },
  ])
  const { socket } = await sendRaw('GET /protocol/state')
  while (decisions().length === 0) await eventLoopTurns()
  expect((await send('/protocol/state')).statusCode).toBe(200)
  expect([socket.bytesRead, socket.readyState]).toEqual([0, 'open'])
  expect(decisions()).toMatchObject([
    { decision: 1, triggered: true, on: 'r0000001' },
    { decision: 2, triggered: false, on: 'r0000002' },
  ])
})

test.each([0, 40, 99])(
  'sends %i percent of the body over a real socket, then closes it',
  async (keepPercent) => {
    const { send, sendRaw, active } = await createFaultyExchange([{ fault: 'http-truncated', keepPercent }])
    const cut = String(await (await sendRaw('GET /protocol/state')).ended)
    active.clear()
    const { body } = await send('/protocol/state')
    expect(cut).toContain(`content-length: ${body.length}\r\n`)
    expect(cut.split('\r\n\r\n')[1]).toBe(body.slice(0, Math.floor((body.length * keepPercent) / 100)))
  },
)

test.each([
  { as: 'cut-json', status: 200, says: /^\{"data":\{"[^}]*$/, type: 'application/json; charset=utf-8' },
  { as: 'html-page', status: 200, says: /<h1>200 OK<\/h1>/, type: 'text/html; charset=utf-8' },
  { as: 'text-type', status: 200, says: /^\{"data".*\}$/, type: 'text/plain; charset=utf-8' },
  { as: 'empty', status: 200, says: /^$/, type: 'application/json; charset=utf-8' },
  { as: 'null', status: 200, says: /^null$/, type: 'application/json; charset=utf-8' },
  { as: 'garbage', status: 200, says: /^\0\ufffd\{"data".*\}$/, type: 'application/json; charset=utf-8' },
])('$as', async ({ as, status, says, type }) => {
  const { send } = await createFaultyExchange([{ fault: 'http-malformed', as }])
  const response = await send('/protocol/state')
  expect(response).toMatchObject({
    statusCode: status,
    headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(response.body)) },
  })
  expect(response.body).toMatch(says)
})

test.each([
  { of: 'successes', corrupted: [true, false] },
  { of: 'errors', corrupted: [false, true] },
  { of: 'any', corrupted: [true, true] },
])('affects $of only', async ({ of, corrupted }) => {
  const { send } = await createFaultyExchange([{ fault: 'http-malformed', of, as: 'html-page' }])
  const responses = [await send('/protocol/state'), await send('/pools/unknown')]
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 404])
  expect(responses.map(({ body }) => body.startsWith('<html>'))).toEqual(corrupted)
})
