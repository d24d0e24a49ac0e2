import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { findSessionProblems } from './watch-records.ts'

const CHOICES = choicesSchema.parse({
  cookies: { access: 'at', refresh: 'rt' },
  verify: { address: 'data.address', accessExpiresAt: 'data.until', csrfToken: 'data.csrf' },
})
const BODY = { data: { address: 'w', until: 7, csrf: 'c' } }
const cookie = (name: string, value: string, httpOnly = true) => ({ name, value, httpOnly })
const BOTH = [cookie('at', 'A2'), cookie('rt', 'R2')]
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
    found: ['auth.verify.body: accessExpiresAt is missing', 'auth.verify.body: csrfToken is missing'],
  },
  {
    path: '/auth/refresh',
    cookies: [cookie('at', 'A2'), cookie('rt', 'R1')],
    found: ['auth.refresh.rotates: the refresh cookie is the one that was sent'],
  },
  // An access cookie may stay the same, and a cookie may be taken away.
  { path: '/auth/refresh', cookies: [cookie('at', 'A1'), cookie('rt', 'R2')], found: [] },
  { path: '/auth/refresh', cookies: [cookie('at', '', false), cookie('rt', '', false)], found: [] },
  // Without a session there is nothing to describe.
  { path: '/auth/verify', cookies: [], json: {}, found: [] },
  { path: '/auth/verify', cookies: BOTH, json: {}, status: 401, found: [] },
  { path: '/auth/challenge', cookies: [cookie('at', 'A2', false)], found: [] },
])('$path with $cookies finds $found', ({ path, cookies, json = BODY, status = 200, found }) => {
  const asked = { method: 'POST' as const, path, credential: SENT }
  const problems = findSessionProblems(asked, { status, json, cookies }, CHOICES)
  expect(problems.map(({ rule, problem }) => `${rule}: ${problem}`)).toEqual(found)
})

test('a cookie whose name begins alike is another one', () => {
  const asked = {
    method: 'POST' as const,
    path: '/auth/refresh',
    credential: { cookie: 'old-rt=R1', csrf: undefined },
  }
  expect(
    findSessionProblems(asked, { status: 200, json: BODY, cookies: [cookie('rt', 'R1')] }, CHOICES),
  ).toEqual([])
})
