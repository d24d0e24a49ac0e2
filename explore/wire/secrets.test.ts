import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Reply } from '../target.ts'
import { nameEndpoint } from './endpoint.ts'
import { createSecretCheck } from './secrets.ts'

const ACCESS = 'access-token-of-alice'
const REFRESH = 'refresh/token+of-alice'
const CSRF = 'csrf-token-of-alice'
const SECRET = 'ss_secret-of-alice'

type Shown = { body?: unknown; headers?: Record<string, string>; cookies?: Record<string, string> }

function reply({ body = {}, headers = {}, cookies = {} }: Shown): Reply {
  return { status: 200, body, cookies, raw: { headers, text: JSON.stringify(body), httpOnly: [] } }
}

/** The rules that a response breaks after a sign-in and the creation of an API token. */
function find(call: string, shown: Shown): string[] {
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
  expect(find(call, shown)).toEqual(rules)
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
