import { expect, it, test } from 'vitest'
import { createTestBed, readCookies } from '../test-bed.ts'
import { retryAfterMs, secretInUrl, uncanonicalNumbers } from './observe-requests.ts'

async function setUp() {
  const bed = await createTestBed()
  const cookies = readCookies(await bed.verify(bed.wallets.trader))
  const { authorization = '' } = bed.bearer().headers
  const inUrl = (text: string, csrfToken?: string) =>
    secretInUrl(`/pools?limit=20&x=${encodeURIComponent(text)}`, { auth: bed.auth, csrfToken })
  return { cookies, token: authorization.replace('Bearer ', ''), inUrl }
}

test('recognizes API tokens, both cookies, and the CSRF token of the request', async () => {
  const { cookies, token, inUrl } = await setUp()
  const csrfToken = 'c'.repeat(43)
  expect([
    inUrl(token),
    inUrl(`Bearer ${token}`),
    inUrl(cookies.access ?? ''),
    inUrl(cookies.refresh ?? ''),
    inUrl(csrfToken, csrfToken),
  ]).toEqual(['an API token', 'an API token', 'a session cookie', 'a refresh cookie', 'the CSRF token'])
})

test('ignores text that only resembles a secret', async () => {
  const { cookies, inUrl } = await setUp()
  expect(
    ['c'.repeat(43), `${cookies.access}x`, (cookies.access ?? '').slice(1), ''].map((text) => inUrl(text)),
  ).toEqual([null, null, null, null])
})

const DATE = 'Mon, 05 Jan 2026 09:00:00 GMT'

test.each([
  ['seconds', '3', 3000],
  ['a date', 'Mon, 05 Jan 2026 09:00:02 GMT', 2000],
  ['a past date', 'Mon, 05 Jan 2026 08:00:00 GMT', 0],
  ['neither', 'soon', null],
  ['nothing', undefined, null],
])('reads %s', (_what, retryAfter, expected) => {
  expect(retryAfterMs({ retryAfter, date: DATE })).toBe(expected)
})

const ofQuery = (text: string) =>
  uncanonicalNumbers({ url: `/route?amount_in=${encodeURIComponent(text)}`, body: undefined })

test.each(['1,000', '1.5', '+5', '-1', '1e21', ' 7', '7 ', '007', '00', '1_000', '٣', '0x10', '1.2345e+21'])(
  'names %j',
  (text) => {
    expect(ofQuery(text)).toEqual([`amount_in=${text}`])
  },
)

test.each(['0', '7', '340282366920938463463374607431768211456', '', 'many', 'NaN'])(
  'ignores %j, which is canonical, or not a number',
  (text) => {
    expect(ofQuery(text)).toEqual([])
  },
)

test('checks numbers only, wherever they are', () => {
  const url = '/explore/pools?search=1,000&limit=+5&offset=0&minimum_revision=01'
  expect(uncanonicalNumbers({ url, body: undefined })).toEqual(['limit= 5', 'minimum_revision=01'])
})

test('reports an amount of a body, and one that is not a string', () => {
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: '1e3' } })).toEqual(['amount=1e3'])
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: 1000 } })).toEqual([
    'amount as a JSON number',
  ])
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: '1000' } })).toEqual([])
})

test('shows only the start of a long one', () => {
  expect(ofQuery(`0${'1'.repeat(5000)}`)[0]).toHaveLength(70)
})

it('writes one JSON line per request, with the route instead of the path', async () => {
  const bed = await createTestBed()
  bed.clock.advance(1500)
  await bed.call('/pools/some-key?x=y')
  expect(bed.logLines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '2025-01-01T00:00:01.500Z',
      ref: 'r0000001',
      method: 'GET',
      route: '/pools/:key',
      status: 404,
      code: 'pool_not_found',
    },
  ])
})

it('no secret reaches the log, wherever a client puts it, nor a response except the one that issued it', async () => {
  const bed = await createTestBed()
  const me = await bed.signIn()
  const created = await bed.call('/api-tokens', { ...me, method: 'POST', body: { name: 'bot' } })
  const token: string = created.json().data.token
  const ticket: string = (await bed.call('/auth/ws-ticket', me)).json().data.ticket
  const refreshed = await bed.call('/auth/refresh', { method: 'POST', cookies: me.cookies })
  const secrets = [
    token,
    ticket,
    me.csrfToken,
    ...Object.values(me.cookies),
    ...refreshed.cookies.map(({ value }) => value),
  ]
  for (const secret of secrets) {
    const responses = [
      await bed.call(`/pools?limit=${secret}`),
      await bed.call(`/pools/${secret}`),
      await bed.call(`/${secret}`),
      await bed.call(`/api-tokens/${secret}`, { ...me, method: 'DELETE' }),
      await bed.call('/auth/challenge', { method: 'POST', body: { address: { secret } } }),
      await bed.call('/auth/challenge', { method: 'POST', body: { [secret]: secret } }),
      await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}x` } }),
      await bed.call('/swaps', { headers: { authorization: secret } }),
      await bed.call('/auth/refresh', { method: 'POST', cookies: { refresh: `${secret}.${secret}` } }),
      await bed.call('/referral/redeem', { ...me, method: 'POST', body: { code: secret } }),
    ]
    await bed.call('/swaps', { headers: { authorization: `Bearer ${secret}` } })
    for (const { statusCode, headers, body } of responses) {
      expect(statusCode).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(headers) + body).not.toContain(secret)
    }
  }
  const log = bed.logLines.join('\n')
  expect(bed.logLines.length).toBeGreaterThan(10 * secrets.length)
  for (const secret of secrets) expect(log).not.toContain(secret)
})
