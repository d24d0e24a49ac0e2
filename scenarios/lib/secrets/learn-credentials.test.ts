import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { learnCredentials } from './learn-credentials.ts'

function learnt(answer: Partial<Parameters<typeof learnCredentials>[1]>, choices: object = {}): string[] {
  const known: string[] = []
  const learn = (secret: string | undefined, kind: string) => {
    if (secret !== undefined) known.push(`${kind}: ${secret}`)
  }
  const whole = { path: '/auth/verify', json: {}, cookies: [], ...answer }
  learnCredentials({ learn }, whole, choicesSchema.parse(choices))
  return known
}

const COOKIES = [
  { name: 'access', value: 'A', httpOnly: true },
  { name: 'refresh', value: 'R', httpOnly: false },
  { name: 'balancer', value: 'B', httpOnly: true },
  { name: 'locale', value: 'cy-GB', httpOnly: false },
]

test('the two cookies that the profile names', () => {
  expect(learnt({ cookies: COOKIES })).toEqual(['a session token: A', 'a session token: R'])
})

test('all that scripts cannot read, where it names none', () => {
  expect(learnt({ cookies: COOKIES }, { cookies: { access: null, refresh: null } })).toEqual([
    'a cookie: A',
    'a cookie: B',
  ])
})

test.each([
  ['/auth/verify', { data: { csrf_token: 'C' } }, ['a CSRF token: C']],
  ['/auth/refresh', { data: { csrf_token: 'C' } }, ['a CSRF token: C']],
  ['/api-tokens', { data: { token: 'ss_T' } }, ['an API token: ss_T']],
  ['/tokens', { data: { token: 'public' } }, []],
])('%s', (path, json, known) => {
  expect(learnt({ path, json })).toEqual(known)
})
