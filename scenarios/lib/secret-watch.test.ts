import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { createSecretWatch, learnCredentials, type SecretKind, type Watched } from './secret-watch.ts'

const SECRET = 'ss_aV3ry/Long+Secret='
const ENCODED = encodeURIComponent(SECRET)

function lookAt(response: Partial<Watched>, secret = SECRET) {
  const watch = createSecretWatch()
  watch.learn(secret, 'an API token')
  const text = response.text ?? JSON.stringify(response.json ?? {})
  watch.check({ operation: 'GET /swaps', url: '/swaps', headers: {}, json: undefined, ...response, text })
  return watch.takeFound()['in addresses']
}

test.each<[string, Partial<Watched>, string]>([
  ['a redirect', { headers: { location: `/login?token=${ENCODED}` } }, 'the header location'],
  ['an address', { json: { data: { next: `https://e.example/?t=${SECRET}` } } }, 'an address in the body'],
  ['an address in words', { json: [`see https://e.example/#${ENCODED} for more`] }, 'an address in the body'],
  [
    'an address with \\/',
    {
      text: `{"a":"https:\\/\\/e.example\\/${SECRET.replace('/', '\\/')}"}`,
      json: { a: `https://e.example/${SECRET}` },
    },
    'an address in the body',
  ],
  ['a path', { json: { self: `/api-tokens/${SECRET}` } }, 'an address in the body'],
  ['a page', { text: `<a href="/out?t=${ENCODED}">out</a>` }, 'an address in the body'],
  ['the requested path', { url: `/auth/sessions/${ENCODED}/revoke` }, 'the address of the request'],
])('finds a secret in %s', (_, response, place) => {
  expect(lookAt(response)).toEqual([`GET /swaps: ${place} holds an API token`])
})

test.each<[string, Partial<Watched>]>([
  ['a field of its own', { json: { data: { token: SECRET } } }],
  ['a header that is no address', { headers: { 'x-csrf-token': SECRET } }],
  ['words', { json: { error: `the token ${SECRET} has expired` } }],
  ['other URLs', { json: { token: SECRET, image: 'https://e.example/a.png', self: '/api-tokens/1' } }],
])('%s is not a URL', (_, response) => {
  expect(lookAt(response)).toEqual([])
})

test('a secret that looks like a path is not a URL', () => {
  expect(lookAt({ json: { data: { token: '/aV3ryLongSecret' } } }, '/aV3ryLongSecret')).toEqual([])
})

test('short values occur in URLs by chance', () => {
  expect(lookAt({ headers: { location: '/?page=12345678' } }, '12345678')).toEqual([])
})

test('returns each finding once', () => {
  const watch = createSecretWatch()
  watch.learn(SECRET, 'a cookie')
  const response = { operation: 'GET /', url: '/', headers: { location: ENCODED }, text: '', json: undefined }
  watch.check(response)
  watch.check(response)
  const seen = [watch.takeFound(), watch.takeFound()].map((found) => found['in addresses'])
  expect(seen).toEqual([['GET /: the header location holds a cookie'], []])
  expect([watch.answers(), watch.secrets()]).toEqual([2, 1])
})

const NOTHING: Watched = { operation: 'GET /swaps', url: '/swaps', headers: {}, text: '', json: undefined }

/** Problems in the response that issues a secret, and in the next one. */
function elsewhere(kind: SecretKind, response: Partial<Watched>): string[][] {
  const watch = createSecretWatch()
  watch.learn(SECRET, kind)
  return [1, 2].map(() => {
    watch.check({ ...NOTHING, ...response })
    return watch.takeFound().elsewhere
  })
}

test.each<[string, Partial<Watched>, string]>([
  ['a body', { text: JSON.stringify({ error: `${SECRET} has expired` }) }, 'the body'],
  ['a body that writes a slash as \\/', { text: SECRET.replace('/', '\\/') }, 'the body'],
  ['a header', { headers: { 'x-token': `Bearer ${SECRET}` } }, 'the header x-token'],
])(
  'a session token is in no response, an API token in the one that makes it alone: %s',
  (_, response, place) => {
    const line = (kind: string) => [`GET /swaps: ${place} holds ${kind}`]
    expect(elsewhere('a session token', response)).toEqual([line('a session token'), line('a session token')])
    expect(elsewhere('an API token', response)).toEqual([[], line('an API token')])
    expect(elsewhere('a CSRF token', response)).toEqual([[], []])
    expect(elsewhere('a cookie', response)).toEqual([[], []])
  },
)

test('cookies are where session tokens belong', () => {
  expect(elsewhere('a session token', { headers: { 'set-cookie': `access=${SECRET}` } })).toEqual([[], []])
})

test('forgets secrets that a reverted world may issue again', () => {
  const watch = createSecretWatch()
  watch.learn(SECRET, 'a session token')
  watch.forget()
  watch.check({ ...NOTHING, text: SECRET })
  expect([watch.takeFound().elsewhere, watch.secrets()]).toEqual([[], 0])
})

function learnt(response: Partial<Parameters<typeof learnCredentials>[1]>, choices: object = {}): string[] {
  const known: string[] = []
  const learn = (secret: string | undefined, kind: string) => {
    if (secret !== undefined) known.push(`${kind}: ${secret}`)
  }
  const whole = { path: '/auth/verify', json: {}, cookies: [], ...response }
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

test('all HttpOnly cookies, if it names none', () => {
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
