// Checks every registered route against the specification's lists.
import { expect, it } from 'vitest'
import { type Call, createTestBed } from '../test-bed.ts'

/** Authentication 3, and /auth/refresh, whose credential is a cookie of its own. */
const PUBLIC = [
  /^GET \/(health|ready|metrics)$/,
  /^POST \/auth\/(challenge|verify|refresh)$/,
  /^GET \/protocol\/state$/,
  /^GET \/compliance(\/|$)/,
  /^GET \/tokens$/,
  /^GET \/pools(\/stats|\/:key(\/(ohlcv|liquidity-distribution|trades|stats|oracle))?)?$/,
  /^GET \/explore\//,
  /^GET \/aggregator\//,
  /^GET \/(openapi\.json|docs)$/, // the document itself
]

/** The table "Data and trading endpoints", and positions and balances: for wallets with access. */
const CRED = [
  'GET /swaps',
  'GET /unclaimed',
  'GET /fee-tiers',
  'GET /schema/trading',
  'GET /route',
  'GET /auth/ws-ticket',
  'GET /positions',
  'GET /positions/:token_id',
  'GET /balances',
  'GET /balances/:token_id',
]

const bed = await createTestBed()
const me = await bed.signIn()
const ROUTES = routesIn(bed.app.printRoutes({ commonPrefix: false }))
const isPublic = (name: string) => PUBLIC.some((pattern) => pattern.test(name))
const GUARDED = ROUTES.filter((name) => !isPublic(name))

async function send(name: string, call: Call = {}): Promise<{ status: number; code: string | undefined }> {
  const [method, path = ''] = name.split(' ') as [NonNullable<Call['method']>, string] // as: no route has another
  const url = path
    .replace(':id', ID)
    .replace(':session_id', ID)
    .replace(/:[a-z_]+/g, 'x')
  const { statusCode, headers, json } = await bed.call(url, { ...call, method })
  const isJson = String(headers['content-type']).startsWith('application/json')
  return { status: statusCode, code: isJson ? json().code : undefined }
}

const ID = '00000000-0000-4000-8000-000000000000'
const INVALID: Call = { headers: { authorization: 'Bearer ss_made-up' } }

it('recognizes the routes', () => {
  expect(ROUTES).toEqual(expect.arrayContaining([...CRED, 'GET /pools/:key/ohlcv', 'POST /auth/logout-all']))
})

it.each(ROUTES.filter(isPublic))('%s is public, whatever credentials are sent', async (name) => {
  const { status } = await send(name, INVALID)
  if (name !== 'POST /auth/refresh') expect([200, 400, 404, 503]).toContain(status)
  expect((await send(name)).status).toBe(status)
})

it.each(GUARDED)('%s returns 401 without credentials, and with wrong ones', async (name) => {
  expect(await send(name)).toEqual({ status: 401, code: 'credentials_missing' })
  expect(await send(name, INVALID)).toEqual({ status: 401, code: 'credentials_invalid' })
})

it.each(CRED)('%s accepts a session and an API token, but of no wallet without access', async (name) => {
  for (const call of [me, bed.bearer()]) expect([200, 400, 404]).toContain((await send(name, call)).status)
  expect(await send(name, bed.bearer(bed.wallets.stranger))).toEqual({
    status: 403,
    code: 'access_required',
  })
})

/** Parses `├── /pools (GET, HEAD)` and its children: four columns per level. */
function routesIn(tree: string): string[] {
  const prefixes: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    prefixes.length = depth
    prefixes.push(part)
    const served = methods.split(', ').filter((method) => !['', 'HEAD', 'OPTIONS'].includes(method))
    return served.map((method) => `${method} ${prefixes.join('')}`)
  })
}
