import { expect, test } from 'vitest'
import { testTools } from '../../../client/test-tools.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { createConfirm } from './confirm-errors.ts'

const TARGET = { profile: { baseUrl: 'http://exchange.example' } } as Target // as: all that is read of it
const BEARER: Credential = { bearer: 'ss_one' }
const READ: RequestSpec = { method: 'GET', path: '/fee-tiers' }

type ScriptedReply = { status: number; text?: string; type?: string; retryAfter?: string }

function reply({
  status,
  text = status === 0 ? '' : '{"data":[]}',
  type = 'application/json',
}: ScriptedReply): Reply {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  const evidence = () => `-> ${status}`
  return { status, text, json, contentType: type, headers: {}, cookies: [], location: undefined, evidence }
}

/** A mock exchange: successive responses by path, the last one repeats; 200 by default. */
function exchange(responses: Record<string, readonly ScriptedReply[]>) {
  const { tools, run, nowMs } = testTools()
  const sent: string[] = []
  const left = new Map(Object.entries(responses).map(([path, list]) => [path, [...list]]))
  const confirm = createConfirm({
    async send(_, { path, credential }) {
      sent.push(
        credential === undefined ? path : `${path} by ${'bearer' in credential ? credential.bearer : ''}`,
      )
      const list = left.get(path) ?? []
      return reply((list.length > 1 ? list.shift() : list[0]) ?? { status: 200 })
    },
    knownGood: async () => ({ bearer: 'ss_known' }),
    tools,
  })
  const check = async (spec: RequestSpec, first: ScriptedReply = { status: 500 }, serverWaitMs = 0) => {
    const gaveUp = new GaveUp('after 4 tries', { serverWaitMs, reply: reply(first) })
    const outcome = confirm(TARGET, spec, gaveUp).then(
      (responded) => `${responded.status}: ${responded.evidence()}`,
      (error: unknown) => `threw ${error instanceof Error ? error.message : ''}`,
    )
    await run()
    return await outcome
  }
  return { check, sent, nowMs }
}

test('a persistent 5xx while others are served is the response, with attempts and witnesses', async () => {
  const { check, sent } = exchange({ '/fee-tiers': [{ status: 500 }] })
  expect(await check(READ)).toBe(
    '500: -> 500 (persistent: 500 in each of 4 attempts (+0.0 s, +1.7 s, +3.4 s, +5.1 s), while witnesses were served: GET /pools -> 200 at +1.7 s, GET /pools -> 200 at +3.4 s, GET /pools -> 200 at +5.1 s)',
  )
  expect(sent).toEqual(['/pools', '/pools', '/fee-tiers', '/pools', '/fee-tiers', '/pools', '/fee-tiers'])
})

test('an outage stays open, and for a while no error is confirmed', async () => {
  const all = Object.fromEntries(
    ['/fee-tiers', '/pools', '/tokens', '/explore/pools'].map((path) => [path, [{ status: 500 }]]),
  )
  const { check, sent } = exchange(all)
  expect(await check(READ)).toBe('threw after 4 tries (no other request is served either)')
  const before = sent.length
  expect(await check(READ)).toBe('threw after 4 tries')
  expect(sent.length).toBe(before)
})

test('so does an outage that begins between the tries', async () => {
  const { check } = exchange({
    '/fee-tiers': [{ status: 500 }],
    '/pools': [{ status: 200 }, { status: 200 }, { status: 503 }],
  })
  expect(await check(READ)).toBe('threw after 4 tries (a witness failed too: GET /pools -> 503)')
})

test('a request with a credential takes a witness with the same one', async () => {
  const { check, sent } = exchange({ '/swaps': [{ status: 500 }] })
  expect(await check({ method: 'GET', path: '/swaps', credential: BEARER })).toContain('500: ')
  expect(sent).toContain('/access/status by ss_one')
})

test.each([
  {
    why: 'or one with a working credential, if that is rejected',
    statuses: { '/access/status': [401, 200] },
    expected: /^500: /,
  },
  {
    why: 'and without a served one, everything stays open',
    statuses: { '/access/status': [500], '/fee-tiers': [500], '/unclaimed': [500] },
    expected: /^threw .*no other request with a credential is served/,
  },
])('$why', async ({ statuses, expected }) => {
  const responses = Object.entries(statuses).map(([path, list]) => [path, list.map((status) => ({ status }))])
  const { check } = exchange({ '/swaps': [{ status: 500 }], ...Object.fromEntries(responses) })
  expect(await check({ method: 'GET', path: '/swaps', credential: BEARER })).toMatch(expected)
})

const CUT = { status: 0, text: '{"data":[{"k' }

test.each<{
  what: string
  spec?: Partial<RequestSpec>
  first: ScriptedReply
  later: ScriptedReply[]
  serverWaitMs?: number
  expected: RegExp
}>([
  {
    what: 'a response cut at the same byte',
    first: CUT,
    later: [CUT],
    expected: /^0: .*a response cut after 12 characters in each/,
  },
  {
    what: 'a response cut elsewhere',
    first: CUT,
    later: [{ status: 0, text: '{"da' }],
    expected: /^threw .*then a response cut after 4/,
  },
  {
    what: 'no response',
    first: { status: 0 },
    later: [{ status: 0 }],
    expected: /^0: .*no response in each/,
  },
  {
    what: 'HTML where JSON is due',
    spec: { parsed: true },
    first: { status: 200, text: '<p>', type: 'text/html' },
    later: [{ status: 200, text: '<p>', type: 'text/html' }],
    expected: /^200: .*an HTML page instead of JSON/,
  },
  {
    what: 'a 429 for ever',
    first: { status: 429 },
    later: [{ status: 429 }],
    expected: /^threw after 4 tries$/,
  },
  {
    what: 'a 429 after a 500',
    first: { status: 500 },
    later: [{ status: 429 }],
    expected: /^threw .*first 500, then 429/,
  },
  {
    what: 'a 503 for an hour',
    first: { status: 503 },
    later: [{ status: 503 }],
    serverWaitMs: 3_600_000,
    expected: /^threw after 4 tries$/,
  },
  {
    what: 'a read that is served at last',
    first: { status: 500 },
    later: [{ status: 200 }],
    expected: /^200: -> 200$/,
  },
  {
    what: 'a page of HTML at last',
    first: { status: 500 },
    later: [{ status: 200, text: '<p>', type: 'text/html' }],
    expected: /^threw /,
  },
  {
    what: 'a write that is refused at last, as the first may have been carried out',
    spec: { method: 'POST' },
    first: { status: 500 },
    later: [{ status: 409 }],
    expected: /^threw .*gone at/,
  },
  {
    what: 'a write that errs for ever',
    spec: { method: 'POST' },
    first: { status: 500 },
    later: [{ status: 500 }],
    expected: /^500: /,
  },
  {
    what: 'a write that must not be done twice',
    spec: { method: 'POST', once: true },
    first: { status: 500 },
    later: [{ status: 500 }],
    expected: /^threw after 4 tries$/,
  },
])('$what', async ({ spec, first, later, serverWaitMs, expected }) => {
  const { check } = exchange({ '/fee-tiers': later })
  expect(await check({ ...READ, ...spec }, first, serverWaitMs)).toMatch(expected)
})

test('a route that never responds is waited for once', async () => {
  const { check, sent } = exchange({ '/fee-tiers': [{ status: 0 }] })
  await check(READ, { status: 0 })
  const before = sent.length
  expect(await check({ ...READ, query: { limit: '1' } }, { status: 0 })).toBe('threw after 4 tries')
  expect(await check(READ, { status: 0 })).toMatch(/^0: .*persistent: before, no response in each/)
  expect(sent.length).toBe(before)
})

test('looking into errors takes a minute of a VU, and no more', async () => {
  const { check, nowMs } = exchange({ '/fee-tiers': [{ status: 500 }] })
  const seen: string[] = []
  for (let count = 0; count < 20; count++) seen.push((await check(READ)).slice(0, 3))
  expect(seen.filter((word) => word === '500').length).toBe(12)
  expect(nowMs()).toBeLessThan(66_000)
})
