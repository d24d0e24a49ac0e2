import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { ExploreRequest, Reply } from '../target.ts'
import { createCredentialCheck, createSecretCheck } from './credentials.ts'
import { nameEndpoint } from './endpoint.ts'

const choices = choicesSchema.parse({})
const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const ID = '11111111-1111-4111-8111-111111111111'
const MINUTE_MS = 60_000

type Sent = {
  request: ExploreRequest
  reply: Partial<Reply> & { httpOnly?: readonly string[]; date?: string }
}

/** The rules that the last one breaks. */
function find(...sent: Sent[]): string[] {
  return findWith({}, ...sent)
}

function findWith(target: { isClockLocal?: boolean }, ...sent: Sent[]): string[] {
  const check = createCredentialCheck(choices, target)
  let found: string[] = []
  for (const { request, reply } of sent) {
    const { httpOnly = ['access', 'refresh'], date, ...rest } = reply
    const raw = { headers: date === undefined ? {} : { date }, text: '', httpOnly }
    const whole = { status: 200, body: undefined, cookies: {}, raw, ...rest }
    check.sent(request)
    found = check
      .received({ request, endpoint: nameEndpoint(request), reply: whole }, NOW_MS)
      .map(({ rule }) => rule)
  }
  return found
}

const expiresAt = (minutes: number) => new Date(NOW_MS + minutes * MINUTE_MS).toISOString()
const verified = { address: 'alice', access_expires_at: expiresAt(15), csrf_token: 'c' }
const cookies = { access: 'a1', refresh: 'r1' }

function verify(data: object = verified, reply: Sent['reply'] = {}): Sent {
  const request: ExploreRequest = { method: 'POST', path: '/auth/verify', body: { address: 'alice' } }
  return { request, reply: { body: { data }, cookies, ...reply } }
}

test.each([
  ['no address', { ...verified, address: undefined }, 'auth.verify.body'],
  ['null as address', { ...verified, address: null }, 'auth.verify.body'],
  ['another address', { ...verified, address: 'bob' }, 'auth.verify.body'],
  ['no CSRF token', { ...verified, csrf_token: undefined }, 'auth.verify.body'],
  ['no expiry', { ...verified, access_expires_at: undefined }, 'auth.verify.body'],
  ['an early expiry', { ...verified, access_expires_at: expiresAt(13.9) }, 'auth.verify.expiry'],
  ['a late expiry', { ...verified, access_expires_at: expiresAt(16.1) }, 'auth.verify.expiry'],
])('verify returns %s', (_, data, rule) => {
  expect(find(verify())).toEqual([])
  expect(find(verify(data))).toEqual([rule])
})

test('verify may spell the address in another case, and an expiry that is a year away has another unit', () => {
  expect(find(verify({ ...verified, address: 'Alice' }))).toEqual([])
  expect(find(verify({ ...verified, access_expires_at: '1970-01-01T00:00:00Z' }))).toEqual([])
})

test('an expiry may be right by the Date header alone', () => {
  const data = { ...verified, access_expires_at: expiresAt(75) }
  const date = new Date(NOW_MS + 60 * MINUTE_MS).toUTCString()
  expect(find(verify(data))).toEqual(['auth.verify.expiry'])
  expect(find(verify(data, { date }))).toEqual([])
})

test('both cookies of verify are set and have HttpOnly', () => {
  expect(find(verify(verified, { httpOnly: ['access'] }))).toEqual(['auth.cookies.http-only'])
  expect(find(verify(verified, { cookies: { access: 'a1' } }))).toEqual(['auth.cookies.http-only'])
})

test('the cookies that a refresh sets have HttpOnly', () => {
  const refresh = (reply: Sent['reply']): Sent => ({
    request: { method: 'POST', path: '/auth/refresh' },
    reply,
  })
  expect(find(refresh({ cookies }))).toEqual([])
  expect(find(refresh({ cookies: { access: 'a2' }, httpOnly: ['access'] }))).toEqual([])
  expect(find(refresh({ cookies, httpOnly: ['refresh'] }))).toEqual(['auth.refresh.http-only'])
})

const own = { cookie: 'access=a1; refresh=r1', 'x-csrf-token': 'c' }
const made = { id: ID, name: 'n', token: 'ss_x', token_prefix: 'ss_', created_at: 'now' }

function create(data: object = made): Sent {
  return {
    request: { method: 'POST', path: '/api-tokens', headers: own },
    reply: { status: 201, body: { data } },
  }
}

test.each([
  ['18 minutes behind', -18, 'allowed'],
  ['as this machine', 0, 'auth.verify.expiry'],
  ['not shown', undefined, 'allowed'],
])('a target whose clock is %s, which only a new API token shows', (_, minutes, expected) => {
  const deployed = { isClockLocal: true }
  const early = verify({ ...verified, access_expires_at: expiresAt(-3) })
  const created = create({ ...made, created_at: minutes === undefined ? 'now' : expiresAt(minutes) })
  expect(findWith(deployed, early)).toEqual([])
  expect(findWith(deployed, early, created)[0] ?? 'allowed').toBe(expected)
  // Each expiry is reported once.
  expect(findWith(deployed, early, created, created)).toEqual([])
  expect(find(early)).toEqual(['auth.verify.expiry'])
})

test.each([
  ['no prefix', { ...made, token_prefix: undefined }],
  ['another mark', { ...made, token: 'x' }],
  ['an id that is no UUID', { ...made, id: '5' }],
])('a new API token has %s', (_, data) => {
  expect(find(create())).toEqual([])
  expect(find(create(data))).toEqual(['api-token.create.record'])
})

test('an API token is created only with the CSRF header', () => {
  const { request, reply } = create()
  const { cookie } = own
  expect(find({ request: { ...request, headers: { cookie } }, reply })).toEqual([
    'api-token.create.needs-csrf',
  ])
})

function revoke(data: object, headers: Record<string, string> = own): Sent {
  return { request: { method: 'DELETE', path: `/api-tokens/${ID}`, headers }, reply: { body: { data } } }
}

test.each([
  ['says false', { id: ID, revoked: false }],
  ['has text', { id: ID, revoked: 'true' }],
  ['has no id', { revoked: true }],
  ['has another id', { id: ID.replaceAll('1', '2').replace('-2', '-4'), revoked: true }],
])('a revocation that %s', (_, data) => {
  expect(find(verify(), create(), revoke({ id: ID, revoked: true }))).toEqual([])
  expect(find(verify(), create(), revoke(data))).toEqual(['api-token.revoke.record'])
})

test('a second revocation, and one by a wallet that is not known to own the token, may say false', () => {
  const no = { id: ID, revoked: false }
  expect(find(verify(), create(), revoke({ id: ID, revoked: true }), revoke(no))).toEqual([])
  expect(find(verify(), create(), revoke(no, { cookie: 'access=other' }))).toEqual([])
})

test('the owner is known by refreshed cookies, too', () => {
  const refreshed = { cookies: { access: 'a2', refresh: 'r2' } }
  const refresh: Sent = { request: { method: 'POST', path: '/auth/refresh', headers: own }, reply: refreshed }
  const later = revoke({ id: ID, revoked: false }, { cookie: 'access=a2' })
  expect(find(verify(), create(), refresh, later)).toEqual(['api-token.revoke.record'])
})

test.each([
  [{}, 'ws.ticket.by-session'],
  [{ authorization: 'Bearer ss_x' }, 'api-token.bearer.ticket'],
])('a success of /auth/ws-ticket has a ticket: %j', (headers, rule) => {
  const ticket = (data: object): Sent => ({
    request: { method: 'GET', path: '/auth/ws-ticket', headers },
    reply: { body: { data } },
  })
  expect(find(ticket({ ticket: 't' }))).toEqual([])
  expect(find(ticket({ ticket: '' }))).toEqual([rule])
  expect(find(ticket({}))).toEqual([rule])
})

const ACCESS = 'access-token-of-alice'
const REFRESH = 'refresh/token+of-alice'
const CSRF = 'csrf-token-of-alice'
const SECRET = 'ss_secret-of-alice'

type Shown = { body?: unknown; headers?: Record<string, string>; cookies?: Record<string, string> }

function reply({ body = {}, headers = {}, cookies = {} }: Shown): Reply {
  return { status: 200, body, cookies, raw: { headers, text: JSON.stringify(body), httpOnly: [] } }
}

/** The rules that a response breaks after a sign-in and the creation of an API token. */
function findMisplaced(call: string, shown: Shown): string[] {
  const check = createSecretCheck(choicesSchema.parse({}))
  const read = (each: string, response: Reply) => {
    const [method, path = ''] = each.split(' ') as ['GET' | 'POST', string] // as: written below
    const request = { method, path }
    return check({ request, endpoint: nameEndpoint(request), reply: response }).map(({ rule }) => rule)
  }
  const cookies = { access: ACCESS, refresh: REFRESH }
  expect(read('POST /auth/verify', reply({ cookies, body: { data: { csrf_token: CSRF } } }))).toEqual([])
  expect(read('POST /api-tokens', reply({ body: { data: { token: SECRET } } }))).toEqual([])
  return read(call, reply(shown))
}

const ELSEWHERE = 'auth.secrets.nowhere-else'
const IN_URL = 'auth.secrets.not-in-urls'

test.each<[string, string, Shown, string[]]>([
  ['nothing', 'GET /swaps', { body: { data: [] } }, []],
  ['an access token in a body', 'GET /auth/sessions', { body: { token: ACCESS } }, [ELSEWHERE]],
  ['a refresh token in a body', 'POST /auth/refresh', { body: { token: REFRESH } }, [ELSEWHERE]],
  ['an encoded refresh token', 'GET /swaps', { body: encodeURIComponent(REFRESH) }, [ELSEWHERE]],
  ['an API token in an error', 'GET /swaps', { body: { error: `no ${SECRET}` } }, [ELSEWHERE]],
  ['an API token in a header', 'GET /swaps', { headers: { 'x-by': SECRET } }, [ELSEWHERE]],
  ['an API token in the list', 'GET /api-tokens', { body: [SECRET] }, ['api-token.secret.once']],
  ['a CSRF token in a body', 'POST /auth/refresh', { body: { csrf: CSRF } }, []],
  ['a CSRF token in Location', 'GET /swaps', { headers: { location: `/x?csrf=${CSRF}` } }, [IN_URL]],
  ['a CSRF token in a URL', 'GET /swaps', { body: { next: `https://x.example/?c=${CSRF}` } }, [IN_URL]],
  ['a CSRF token in a path', 'GET /swaps', { body: { next: `/swaps?c=${CSRF}` } }, [IN_URL]],
  ['an access token in a URL', 'GET /swaps', { body: [`https://x.example/${ACCESS}`] }, [IN_URL, ELSEWHERE]],
  [
    'a new API token in a URL',
    'POST /api-tokens',
    { body: { data: { token: 'ss_another-secret' }, url: 'https://x.example/ss_another-secret' } },
    [IN_URL],
  ],
  [
    'a new API token in a header',
    'POST /api-tokens',
    { body: { data: { token: 'ss_another-secret' } }, headers: { 'x-by': 'ss_another-secret' } },
    [ELSEWHERE],
  ],
])('%s', (_, call, shown, rules) => {
  expect(findMisplaced(call, shown)).toEqual(rules)
})

test('short values are no secrets, since they occur by chance', () => {
  const check = createSecretCheck(choicesSchema.parse({}))
  const request = { method: 'POST', path: '/auth/verify' } as const
  const exchanged = {
    request,
    endpoint: nameEndpoint(request),
    reply: reply({ cookies: { access: '1' }, body: 1 }),
  }
  expect(check(exchanged)).toEqual([])
})
