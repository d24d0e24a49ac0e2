import { beforeEach, expect, it } from 'vitest'
import { type Call, createTestBed, type SignedIn, type TestBed } from '../test-bed.ts'

const ID = '00000000-0000-4000-8000-000000000000'

const PUBLIC = [
  'GET /health',
  'GET /ready',
  'GET /pools',
  'GET /pools/x',
  'GET /explore/pools',
  'GET /explore/tokens',
  'GET /tokens',
  'GET /protocol/state',
  'GET /compliance',
  'GET /aggregator/pairs',
  'GET /aggregator/tickers',
  'GET /aggregator/orderbook',
  'GET /aggregator/historical_trades',
  'POST /auth/challenge',
  'POST /auth/verify',
]
/** Routes that report access serve wallets without it. */
const CRED_WITHOUT_ACCESS = ['GET /access/status', 'GET /referral/status']
const CRED_WITH_ACCESS = [
  'GET /swaps',
  'GET /route',
  'GET /auth/ws-ticket',
  'GET /debug/block/latest',
  'GET /debug/program/faucet.program',
  'POST /faucet',
]
const CRED = [...CRED_WITHOUT_ACCESS, ...CRED_WITH_ACCESS]
const SESSION_READ = ['GET /auth/sessions', 'GET /api-tokens']
const SESSION_WRITE = [
  `POST /auth/sessions/${ID}/revoke`,
  'POST /auth/logout',
  'POST /auth/logout-all',
  'POST /api-tokens',
  `DELETE /api-tokens/${ID}`,
  'POST /referral/redeem',
  'POST /referral/attribution',
]
const SESSION = [...SESSION_READ, ...SESSION_WRITE]
const ADMIN = ['GET /referral/codes', 'POST /tokens/mint']

let bed: TestBed
let me: SignedIn

beforeEach(async () => {
  bed = await createTestBed()
  me = await bed.signIn()
})

async function send(route: string, call: Call = {}): Promise<{ status: number; code: string | undefined }> {
  const [method, url] = route.split(' ') as [NonNullable<Call['method']>, string] // as: the tables above have this form
  const response = await bed.call(url, { ...call, method })
  return { status: response.statusCode, code: response.json().code }
}

it.each(PUBLIC)('%s requires no credentials', async (route) => {
  const { status } = await send(route)
  expect([200, 400, 404]).toContain(status)
})

it.each([...CRED, ...SESSION, ...ADMIN])('%s returns 401 without credentials', async (route) => {
  expect(await send(route)).toEqual({ status: 401, code: 'credentials_missing' })
})

const INVALID: Record<string, Call> = {
  'an unknown access cookie': { cookies: { access: 'made-up' } },
  'an empty access cookie': { cookies: { access: '' } },
  'an unknown API token': { headers: { authorization: 'Bearer ss_made-up' } },
  'a bearer that is no API token': { headers: { authorization: 'Bearer made-up' } },
  'an empty bearer': { headers: { authorization: 'Bearer ' } },
  'another scheme': { headers: { authorization: 'Basic YTpi' } },
}

it.each(Object.entries(INVALID))('every route that takes credentials returns 401 for %s', async (_, call) => {
  for (const route of [...CRED, ...SESSION, ...ADMIN])
    expect(await send(route, call), route).toEqual({ status: 401, code: 'credentials_invalid' })
})

it.each(CRED)('%s takes a session and an API token', async (route) => {
  for (const call of [me, bed.bearer()]) expect([200, 400]).toContain((await send(route, call)).status)
})

it.each(SESSION)('%s takes no API token', async (route) => {
  expect(await send(route, bed.bearer())).toEqual({ status: 403, code: 'session_required' })
})

it.each(ADMIN)('%s accepts no API token, and only an administrator’s session', async (route) => {
  for (const call of [me, bed.bearer(), bed.bearer(bed.wallets.admin)]) {
    expect(await send(route, call)).toEqual({ status: 403, code: 'admin_required' })
  }
  expect([200, 400]).toContain((await send(route, await bed.signIn(bed.wallets.admin))).status)
})

it('accepts neither a session token nor a refresh token as bearer or as the other cookie', async () => {
  const { access, refresh } = me.cookies as { access: string; refresh: string } // as: sign-in sets both
  for (const call of [
    { headers: { authorization: `Bearer ${access}` } },
    { headers: { authorization: `Bearer ${refresh}` } },
    { cookies: { access: refresh } },
  ]) {
    expect(await send('GET /swaps', call)).toEqual({ status: 401, code: 'credentials_invalid' })
  }
})

it('prefers the Authorization header over cookies', async () => {
  const both = { cookies: me.cookies, headers: { authorization: 'Bearer ss_made-up' } }
  expect(await send('GET /swaps', both)).toEqual({ status: 401, code: 'credentials_invalid' })
})

it.each([...CRED, ...SESSION_READ])('%s returns 401 once the 15 minutes are over', async (route) => {
  bed.clock.advance(15 * 60_000)
  expect(await send(route, me)).toEqual({ status: 401, code: 'credentials_invalid' })
})

it.each(CRED_WITH_ACCESS)('%s returns 403 for the API token of a wallet without access', async (route) => {
  expect(await send(route, bed.bearer(bed.wallets.stranger))).toEqual({
    status: 403,
    code: 'access_required',
  })
})

it('reports to a wallet without access that it has none', async () => {
  const response = await bed.call('/access/status', bed.bearer(bed.wallets.stranger))
  expect([response.statusCode, response.json()]).toEqual([200, { data: { has_access: false } }])
})

it.each(SESSION_WRITE)(
  '%s returns 403 without the CSRF token of the session, and changes nothing',
  async (route) => {
    const other = await bed.signIn()
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': 'made-up' }, other.headers]) {
      expect(await send(route, { cookies: me.cookies, headers })).toEqual({
        status: 403,
        code: 'csrf_required',
      })
    }
    expect((await bed.call('/auth/sessions', me)).json().data).toHaveLength(2)
    expect((await bed.call('/api-tokens', me)).json().data).toEqual([])
  },
)

it('returns 401 before 403 before 400', async () => {
  expect((await send('POST /api-tokens', { body: { name: 7 } })).status).toBe(401)
  expect((await send('POST /api-tokens', { cookies: me.cookies, body: { name: 7 } })).status).toBe(403)
  expect((await send('POST /api-tokens', { ...me, body: { name: 7 } })).status).toBe(400)
})
