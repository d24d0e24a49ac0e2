import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { findSessionProblems, findTokenExpiryProblem, findTokenRecordProblems } from './watch-records.ts'

const CHOICES = choicesSchema.parse({
  cookies: { access: 'at', refresh: 'rt' },
  verify: { address: 'data.address', accessExpiresAt: 'data.until', csrfToken: 'data.csrf' },
})
const BODY = { data: { address: 'w', until: 7, csrf: 'c' } }
const cookie = (name: string, value: string, httpOnly = true) => ({ name, value, httpOnly })
const BOTH = [cookie('at', 'A2'), cookie('rt', 'R2')]
const LONG = 'a-token-of-some-length'
const SENT = { cookie: 'at=A1; rt=R1', csrf: undefined }

type Case = { path: string; cookies: typeof BOTH; json?: unknown; status?: number; found: string[] }

test.each<Case>([
  { path: '/auth/verify', cookies: BOTH, found: [] },
  { path: '/auth/refresh', cookies: BOTH, found: [] },
  {
    path: '/auth/verify',
    cookies: [cookie('at', 'A2', false), cookie('rt', 'R2')],
    found: ['auth.cookies.http-only: at is readable by scripts'],
  },
  {
    path: '/auth/refresh',
    cookies: [cookie('at', 'A2'), cookie('rt', 'R2', false)],
    found: ['auth.refresh.http-only: rt is readable by scripts'],
  },
  {
    path: '/auth/verify',
    cookies: BOTH,
    json: { data: { address: 'w', until: null } },
    found: [
      'auth.verify.body: accessExpiresAt (choices.verify.accessExpiresAt: data.until) is missing',
      'auth.verify.body: csrfToken (choices.verify.csrfToken: data.csrf) is missing',
    ],
  },
  {
    path: '/auth/refresh',
    cookies: [cookie('at', 'A2'), cookie('rt', 'R1')],
    found: ['auth.refresh.rotates: the refresh cookie did not change'],
  },
  // An access cookie may stay the same, and a cookie may be cleared.
  { path: '/auth/refresh', cookies: [cookie('at', 'A1'), cookie('rt', 'R2')], found: [] },
  { path: '/auth/refresh', cookies: [cookie('at', '', false), cookie('rt', '', false)], found: [] },
  {
    path: '/auth/verify',
    cookies: [cookie('at', LONG), cookie('rt', 'R2'), cookie('hint', `Bearer%20${LONG}`, false)],
    found: ['auth.cookies.http-only: hint has the value of a session cookie, and is readable by scripts'],
  },
  {
    path: '/auth/refresh',
    cookies: [cookie('at', 'A2'), cookie('rt', LONG), cookie('hint', LONG, false)],
    found: ['auth.refresh.http-only: hint has the value of a session cookie, and is readable by scripts'],
  },
  // A copy that scripts cannot read, and short values that are equal by chance.
  { path: '/auth/verify', cookies: [cookie('at', LONG), cookie('copy', LONG)], found: [] },
  { path: '/auth/verify', cookies: [cookie('at', '1'), cookie('seen', '1', false)], found: [] },
  // Without a session there is nothing to check.
  { path: '/auth/verify', cookies: [], json: {}, found: [] },
  { path: '/auth/verify', cookies: BOTH, json: {}, status: 401, found: [] },
  { path: '/auth/challenge', cookies: [cookie('at', 'A2', false)], found: [] },
])('$path with $cookies finds $found', ({ path, cookies, json = BODY, status = 200, found }) => {
  const spec = { method: 'POST' as const, path, credential: SENT }
  const problems = findSessionProblems(spec, { status, json, cookies }, CHOICES)
  expect(problems.map(({ rule, problem }) => `${rule}: ${problem}`)).toEqual(found)
})

test.each([
  ['W', []],
  ['v', ['the address is not that of the request']],
])('an address that is requested as %s', (address, found) => {
  const spec = { method: 'POST' as const, path: '/auth/verify', body: { address } }
  const problems = findSessionProblems(spec, { status: 200, json: BODY, cookies: BOTH }, CHOICES)
  expect(problems.map(({ problem }) => problem)).toEqual(found)
})

test('a cookie whose name has the same prefix is different', () => {
  const spec = {
    method: 'POST' as const,
    path: '/auth/refresh',
    credential: { cookie: 'old-rt=R1', csrf: undefined },
  }
  expect(
    findSessionProblems(spec, { status: 200, json: BODY, cookies: [cookie('rt', 'R1')] }, CHOICES),
  ).toEqual([])
})

test.each<
  [what: string, set: (typeof BOTH)[number] & { maxAge?: number; expiresMs?: number }, found: string[]]
>([
  ['set again', cookie('at', 'A1', false), ['auth.cookies.http-only: at is readable by scripts']],
  ['set again with HttpOnly', cookie('at', 'A1'), []],
  ['deleted by its age', { ...cookie('at', 'A1', false), maxAge: 0 }, []],
  ['deleted by its date', { ...cookie('rt', 'R1', false), expiresMs: 0 }, []],
  ['of another name', cookie('sticky', 'A1', false), []],
  ['with another value', cookie('at', 'A2', false), []],
])('a cookie that another reply gets: %s', (_, set, found) => {
  for (const [method, path, status] of [
    ['GET', '/swaps', 200],
    ['POST', '/auth/logout', 401],
  ] as const) {
    const problems = findSessionProblems(
      { method, path, credential: SENT },
      { status, json: {}, cookies: [set] },
      CHOICES,
    )
    expect(problems.map(({ rule, problem }) => `${rule}: ${problem}`)).toEqual(found)
  }
})

const CREATED = '2026-03-01T12:00:00Z'

function find(expires: unknown, { days = 1, created = CREATED, status = 201, path = '/api-tokens' } = {}) {
  const spec = { method: 'POST' as const, path, body: { name: 'n', expires_in_days: days } }
  return findTokenExpiryProblem(spec, {
    status,
    json: { data: { created_at: created, expires_at: expires } },
  })
}

test.each([
  ['2026-03-31T12:00:00Z', 'expires after 30.00 days, requested 1'],
  ['2026-03-01T12:01:00Z', 'expires after 0.00 days, requested 1'],
  ['2026-03-03T15:00:00.000+00:00', 'expires after 2.13 days, requested 1'],
  ['2026-03-02T12:00:00Z', undefined],
  ['2026-03-02T23:59:59Z', undefined],
  ['2026-03-03T12:00:00Z', undefined],
  ['2026-03-02 14:00:00+02:00', undefined],
  ['2026-03-31 12:00:00.006000+00', 'expires after 30.00 days, requested 1'],
  ['2026-03-02 14:00:00-0200', undefined],
])('a token for a day that expires at %s: %s', (expires, problem) => {
  expect(find(expires)).toBe(problem)
})

test('a token for 30 days that lives longer is found', () => {
  expect(find('2026-05-30T12:00:00Z', { days: 30 })).toBe('expires after 90.00 days, requested 30')
})

test.each([
  { why: 'no expiry', expires: undefined },
  { why: 'an expiry without a zone', expires: '2026-03-31T12:00:00' },
  { why: 'a day that is not in the calendar', expires: '2026-13-31T12:00:00Z' },
  { why: 'seconds', expires: '1772366400' },
  { why: 'no time of creation', expires: '2026-03-31T12:00:00Z', options: { created: '' } },
  { why: 'a refusal', expires: '2026-03-31T12:00:00Z', options: { status: 400 } },
  { why: 'a shorter lifetime, which may be clamped', expires: '2026-03-31T12:00:00Z', options: { days: 90 } },
  { why: 'a day more than 29', expires: '2026-03-31T12:00:00Z', options: { days: 29 } },
  { why: 'a lifetime of no days', expires: '2026-03-31T12:00:00Z', options: { days: 0 } },
  { why: 'another endpoint', expires: '2026-03-31T12:00:00Z', options: { path: '/tokens' } },
])('$why is left alone', ({ expires, options }) => {
  expect(find(expires, options)).toBeUndefined()
})

const NAME = 'breakwater m1x2'
const TOKEN = 'ss_live_AbCd-EfGh'
const OTHER_NAME = 'the name is not that of the request'
const OTHER_PREFIX = 'token_prefix is not a prefix of the token'

test.each([
  [{}, []],
  [{ name: ' Breakwater M1X2 ' }, []],
  [{ name: 'breakwater-m1' }, []],
  [{ name: 'bot: breakwater m1x2 (2)' }, []],
  [{ name: 'token' }, [OTHER_NAME]],
  [{ name: '' }, [OTHER_NAME]],
  [{ token_prefix: 'ss_' }, []],
  [{ token_prefix: 'ss_live_AbC...' }, []],
  [{ token_prefix: 'ss_live_AbCd-' }, []],
  [{ token_prefix: 'AbCd***' }, []],
  [{ token_prefix: 'live_AbCd…EfGh' }, []],
  [{ token_prefix: '****EfGh' }, []],
  [{ token_prefix: 'bCd' }, [OTHER_PREFIX]],
  [{ token_prefix: 'ss_5f0e' }, [OTHER_PREFIX]],
  [{ token_prefix: 'ss_5f0e', name: 'token' }, [OTHER_NAME, OTHER_PREFIX]],
])('a new API token with %j', (fields, found) => {
  const spec = { method: 'POST' as const, path: '/api-tokens', body: { name: NAME } }
  const json = { data: { name: NAME, token: TOKEN, token_prefix: 'ss_live_AbCd', ...fields } }
  expect(findTokenRecordProblems(spec, { status: 201, json })).toEqual(found)
  expect(findTokenRecordProblems(spec, { status: 409, json })).toEqual([])
  expect(findTokenRecordProblems({ ...spec, method: 'GET' }, { status: 200, json })).toEqual([])
})
