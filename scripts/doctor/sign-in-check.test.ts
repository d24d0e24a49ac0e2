import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { judgeSignIn, type SignInFacts } from './sign-in-check.ts'

const FACTS: SignInFacts = {
  address: 'wallet-1',
  cookies: ['access', 'refresh'],
  body: { data: { address: 'wallet-1', csrf_token: 'secret', access_expires_at: '2026-11-22T05:15:00Z' } },
  readFailure: null,
  logoutFailure: null,
}

function judge(choices: object, facts: Partial<SignInFacts> = {}) {
  const profile = { name: 'x', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }
  const { verdict, saw } = judgeSignIn({ ...FACTS, ...facts }, profileSchema.parse({ ...profile, choices }))
  return { verdict, saw }
}

const epoch = (access_expires_at: unknown) => ({
  body: { data: { address: 'wallet-1', csrf_token: 'secret', access_expires_at } },
})

test('a profile that fits is ok, also if it leaves out what it does not know', () => {
  const good = { verdict: 'ok', saw: 'wallet-1 signs in, reads /swaps?limit=1 and logs out' }
  expect(judge({})).toEqual(good)
  expect(judge({ expiry: 'epoch-seconds' }, epoch(1_795_324_500))).toEqual(good)
  expect(judge({ expiry: 'epoch-millis' }, epoch('1795324500000'))).toEqual(good)
  const unknown = {
    cookies: { access: null, refresh: null },
    verify: { address: null, accessExpiresAt: null, csrfToken: null },
  }
  expect(judge(unknown, { cookies: [], body: null })).toEqual(good)
})

test('without a path of the CSRF token, a session that could not be ended is no problem', () => {
  const left = { logoutFailure: 'POST /auth/logout -> 403 CSRF' }
  expect(judge({ verify: { csrfToken: null } }, left)).toEqual({
    verdict: 'ok',
    saw: 'wallet-1 signs in and reads /swaps?limit=1\nthe session could not be ended and will expire: POST /auth/logout -> 403 CSRF',
  })
})

test.each<[what: string, choices: object, facts: Partial<SignInFacts>, saw: string]>([
  [
    'a wrong cookie name',
    { cookies: { refresh: 'rt' } },
    {},
    'choices.cookies.refresh: verify sets no cookie rt; it sets access, refresh',
  ],
  [
    'no cookie',
    { cookies: { refresh: null } },
    { cookies: [] },
    'choices.cookies.access: verify sets no cookie access; it sets none',
  ],
  [
    'another text at the path of the address',
    { verify: { address: 'data.csrf_token' } },
    {},
    'choices.verify.address: the address is not at data.csrf_token',
  ],
  [
    'a wrong path of the CSRF token',
    { verify: { csrfToken: 'data.csrf' } },
    {},
    'choices.verify.csrfToken: no text at data.csrf',
  ],
  [
    'a wrong path of the expiry',
    { verify: { accessExpiresAt: 'data.until' } },
    {},
    'choices.verify.accessExpiresAt, choices.expiry: no time in rfc3339 at data.until',
  ],
  [
    'seconds instead of milliseconds',
    { expiry: 'epoch-millis' },
    epoch(1_795_324_500),
    'choices.verify.accessExpiresAt, choices.expiry: no time in epoch-millis at data.access_expires_at',
  ],
  [
    'milliseconds instead of seconds',
    { expiry: 'epoch-seconds' },
    epoch(1_795_324_500_000),
    'choices.verify.accessExpiresAt, choices.expiry: no time in epoch-seconds at data.access_expires_at',
  ],
  [
    'a wallet without access',
    {},
    { readFailure: 'GET /swaps?limit=1 -> 403 no access' },
    'GET /swaps?limit=1 -> 403 no access',
  ],
  [
    'a rejected logout',
    {},
    { logoutFailure: 'POST /auth/logout -> 403 CSRF' },
    'POST /auth/logout -> 403 CSRF',
  ],
  [
    'a wallet without access, next to a session that could not be ended',
    { verify: { csrfToken: null } },
    {
      readFailure: 'GET /swaps?limit=1 -> 403 no access',
      logoutFailure: 'POST /auth/logout -> 403 CSRF',
    },
    'GET /swaps?limit=1 -> 403 no access\nthe session could not be ended and will expire: POST /auth/logout -> 403 CSRF',
  ],
])('%s is a problem', (_, choices, facts, saw) => {
  expect(judge(choices, facts)).toEqual({ verdict: 'problem', saw })
})
