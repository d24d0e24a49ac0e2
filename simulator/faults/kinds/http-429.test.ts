import { expect, test } from 'vitest'
import { demoWallets } from '../../auth/wallets.ts'
import { createRandom } from '../../random.ts'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

const asks = (count: number, url = '/health') => Array.from({ length: count }, () => url)

test('fixed: on each that it decides to, with the Retry-After that it is told', async () => {
  const { ask, statuses } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'fixed', retryAfterSeconds: 7 }, when: { times: 1 } },
  ])
  const refused = await ask('/pools')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '7'])
  expect(refused.json()).toEqual({ error: 'too many requests', code: 'rate_limited', ref: 'r0000001' })
  expect(await statuses(['/pools'])).toEqual([200])
})

test('the body may be the page of a proxy: a client that parses it as JSON breaks', async () => {
  const { ask } = await createFaultyExchange([{ fault: 'http-429', body: 'html' }])
  const { statusCode, headers, body } = await ask('/pools')
  expect([statusCode, headers['content-type'], headers['retry-after']]).toEqual([
    429,
    'text/html; charset=utf-8',
    '1',
  ])
  expect(body).toContain('429 Too Many Requests')
})

test('burst: everything for a while, and Retry-After tells what is left', async () => {
  const { ask, statuses, world, decisions } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'burst', lastsMs: 5000 }, when: { every: 3 } },
  ])
  expect(await statuses(asks(4))).toEqual([200, 200, 429, 429])
  world.clock.advance(1500)
  const { statusCode, headers } = await ask('/health')
  expect([statusCode, headers['retry-after']]).toEqual([429, '4'])
  world.clock.advance(3500)
  expect(await statuses(asks(3))).toEqual([200, 200, 429])
  expect(decisions().map(({ acts }) => acts)).toEqual([false, false, true, false, false, true])
})

test('burst: ends in its time where the clock is put back meanwhile', async () => {
  const { statuses, world } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'burst', lastsMs: 5000 }, when: { times: 1 } },
  ])
  const snapshot = world.snapshot()
  world.clock.advance(60_000)
  expect(await statuses(asks(1))).toEqual([429])
  world.revert(snapshot)
  world.clock.advance(4999)
  expect(await statuses(asks(1))).toEqual([429])
  world.clock.advance(1)
  expect(await statuses(asks(1))).toEqual([200])
})

test('token bucket: so many at once and then so many a second, Retry-After until the next', async () => {
  const { ask, statuses, world } = await createFaultyExchange([
    { fault: 'http-429', limit: { mode: 'token-bucket', burst: 3, perSecond: 0.5 } },
  ])
  expect(await statuses(asks(4))).toEqual([200, 200, 200, 429])
  expect((await ask('/health')).headers['retry-after']).toBe('2')
  world.clock.advance(2000)
  expect(await statuses(asks(2))).toEqual([200, 429])
})

test.each([
  { per: 'all', limited: [200, 429, 429, 429, 429, 429] },
  { per: 'route', limited: [200, 429, 200, 429, 429, 429] },
  { per: 'client', limited: [200, 429, 429, 200, 429, 200] },
  { per: 'client-and-route', limited: [200, 429, 200, 200, 200, 200] },
])('per $per: who shares a bucket', async ({ per, limited }) => {
  const limit = { mode: 'token-bucket', burst: 1, perSecond: 0.001 }
  const { ask, bed } = await createFaultyExchange([{ fault: 'http-429', limit, per }])
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
    found.push((await ask(url, { headers })).statusCode)
  expect(found).toEqual(limited)
})

test('per address: clients behind one share its bucket, whoever they are', async () => {
  const limit = { mode: 'token-bucket', burst: 1, perSecond: 0.001 }
  const { bed } = await createFaultyExchange([{ fault: 'http-429', limit, per: 'address' }])
  const ask = async (remoteAddress: string, headers = {}) =>
    (await bed.app.inject({ url: '/health', remoteAddress, headers })).statusCode
  const { headers } = bed.bearer()
  expect([await ask('10.0.0.1'), await ask('10.0.0.1', headers), await ask('10.0.0.2', headers)]).toEqual([
    200, 429, 200,
  ])
})

test('is aimed at one program', async () => {
  const { ask } = await createFaultyExchange([
    { fault: 'http-429', where: { clients: { userAgents: ['bot/*'] } } },
  ])
  expect((await ask('/health')).statusCode).toBe(200)
  expect((await ask('/health', { headers: { 'user-agent': 'bot/2' } })).statusCode).toBe(429)
})

test('is aimed at one wallet', async () => {
  const [, trader] = demoWallets({ random: createRandom(1), count: 2 })
  const { ask, bed } = await createFaultyExchange([
    { fault: 'http-429', where: { clients: { addresses: [trader?.address] } } },
  ])
  expect((await ask('/health')).statusCode).toBe(200)
  expect((await ask('/health', bed.bearer(bed.wallets.admin))).statusCode).toBe(200)
  expect((await ask('/health', bed.bearer(bed.wallets.trader))).statusCode).toBe(429)
})
