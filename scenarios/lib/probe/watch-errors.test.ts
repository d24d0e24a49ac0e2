import { expect, test } from 'vitest'
import { createErrorWatch } from './watch-errors.ts'

type Case = {
  method?: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  status: number
  json: unknown
  contentType?: string
}

function lookAt(...cases: readonly Case[]) {
  const watch = createErrorWatch()
  for (const { method = 'GET', path, query, status, json, contentType = '' } of cases) {
    const body = method === 'POST' ? {} : undefined
    watch.check(
      { method, path, ...(query && { query }), ...(body && { body }) },
      { status, json, contentType, evidence: () => `${path} -> ${status}` },
    )
  }
  return { problems: watch.takeFound().map(({ problem }) => problem), judged: watch.judged() }
}

const NO_ERROR = "must have required property 'error'"

test.each<Case & { problem: string }>([
  {
    path: '/swaps',
    status: 401,
    json: { message: 'no' },
    problem: `GET /swaps, 401: (top level) ${NO_ERROR}`,
  },
  { path: '/route', status: 404, json: {}, problem: `GET /route, 404: (top level) ${NO_ERROR}` },
  {
    path: '/explore/pools',
    status: 400,
    json: 'no',
    problem: 'GET /explore/pools, 400: (top level) must be object',
  },
  {
    path: '/unclaimed',
    status: 403,
    json: { error: 'no', code: 7 },
    problem: 'GET /unclaimed, 403: /code must be string,null',
  },
  {
    method: 'POST',
    path: '/auth/verify',
    status: 422,
    json: { error: ['no'] },
    problem: 'POST /auth/verify, 422: /error must be string',
  },
])('finds what is no error body: $problem', ({ problem, ...one }) => {
  expect(lookAt(one)).toEqual({ problems: [problem], judged: 1 })
})

test('a refusal that depends on data and is no JSON fails the second time, unless it is a page', () => {
  const bare = { path: '/route', status: 404, json: undefined, contentType: 'text/plain' }
  const page = { ...bare, contentType: 'text/html; charset=utf-8' }
  expect(lookAt(bare, page, page).problems).toEqual([])
  expect(lookAt(bare, bare).problems).toEqual(['GET /route, 404: no JSON'])
})

test('an error body may have a code and a reference, or null for them, and more', () => {
  const bodies = [{ error: 'no' }, { error: 'no', code: null, ref: 'r1' }, { error: '', more: [] }]
  const seen = bodies.map((json) => ({ path: '/swaps', status: 401, json }))
  expect(lookAt(...seen)).toEqual({ problems: [], judged: 3 })
})

const MESSAGE = { message: 'from a proxy in front of the exchange' }

test.each<Case & { what: string }>([
  { what: 'a page', path: '/swaps', status: 401, json: undefined },
  { what: 'too many requests', path: '/swaps', status: 429, json: MESSAGE },
  { what: 'a bad gateway', path: '/swaps', status: 502, json: MESSAGE },
  { what: 'no server', path: '/explore/pools', status: 503, json: MESSAGE },
  { what: 'too large a body', method: 'POST', path: '/api-tokens', status: 413, json: MESSAGE },
  { what: 'a missing endpoint', path: '/referral/codes', status: 404, json: MESSAGE },
  {
    what: 'a firewall, by its query',
    path: '/route',
    query: { amount_in: "1'0" },
    status: 403,
    json: MESSAGE,
  },
  { what: 'a firewall, by its body', method: 'POST', path: '/tokens/mint', status: 403, json: MESSAGE },
  { what: 'an endpoint whose shape is open', path: '/compliance', status: 400, json: MESSAGE },
  { what: 'one internal error', path: '/swaps', status: 500, json: MESSAGE },
  { what: 'a success', path: '/swaps', status: 200, json: MESSAGE },
])('ignores $what', (one) => {
  expect(lookAt(one)).toEqual({ problems: [], judged: 0 })
})

test('checks an internal error from the second one of an endpoint on', () => {
  const error = (path: string) => ({ path, status: 500, json: MESSAGE })
  expect(lookAt(error('/swaps'), error('/unclaimed'), error('/swaps')).problems).toEqual([
    `GET /swaps, 500: (top level) ${NO_ERROR}`,
  ])
})

test('returns each finding once', () => {
  const watch = createErrorWatch()
  watch.check(
    { method: 'GET', path: '/swaps' },
    { contentType: '', status: 401, json: {}, evidence: () => 'as seen' },
  )
  expect(watch.takeFound()).toEqual([
    { problem: `GET /swaps, 401: (top level) ${NO_ERROR}`, evidence: 'as seen' },
  ])
  expect(watch.takeFound()).toEqual([])
})

const TEXT = { json: undefined, contentType: 'text/plain' }
const WITH_MESSAGE = { json: MESSAGE, contentType: '' }
const RIGHT = { json: { error: 'no' }, contentType: '' }

test.each([
  ['two texts', [TEXT, TEXT], [], 0],
  ['two messages', [WITH_MESSAGE, WITH_MESSAGE], [`POST /api-tokens, 403: (top level) ${NO_ERROR}`], 1],
  ['right ones', [RIGHT, RIGHT], [], 1],
  ['one message', [WITH_MESSAGE], [], 0],
  ['only one of two', [WITH_MESSAGE, RIGHT], [], 0],
  ['other statuses', [WITH_MESSAGE, WITH_MESSAGE].map((one) => ({ ...one, status: 429 })), [], 0],
])('of rejections whose body was accepted, checks %s', (_, replies, problems, judged) => {
  const watch = createErrorWatch()
  const twins = replies.map((reply) => ({ status: 403, evidence: () => '', ...reply }))
  watch.checkTwins({ method: 'POST', path: '/api-tokens' }, twins)
  expect([watch.takeFound().map(({ problem }) => problem), watch.judged()]).toEqual([problems, judged])
})

test.each([
  { json: { code: 'rate_limited' }, found: 1 },
  { json: { error: { code: 7 } }, found: 1 },
  { json: { error: 'too many requests' }, found: 0 },
  { json: { message: 'API rate limit exceeded' }, found: 0 },
  { json: undefined, found: 0 },
])('two 429 with $json: $found problems', ({ json, found }) => {
  const watch = createErrorWatch()
  const limited = { status: 429, json, contentType: 'application/json', evidence: () => '' }
  watch.checkTwins({ method: 'GET', path: '/access/status' }, [limited, limited])
  watch.checkTwins({ method: 'GET', path: '/access/status' }, [limited])
  expect(watch.takeFound()).toHaveLength(found)
})
