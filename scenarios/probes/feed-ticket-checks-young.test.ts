import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Credential } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeYoung } from './feed-ticket-checks.ts'

const RULE = 'ws.ticket.lives-60s'
const world = vi.hoisted(() => ({ served: [] as boolean[], tickets: [] as string[] }))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => ({ close() {}, evidence: () => [] }) }))
vi.mock('../lib/feed/served-feed.ts', () => ({
  isServed: async () => world.served.shift() ?? false,
  mustServe: async () => {},
  async tryTwice(
    once: (authenticate: (feed: object, ticket: string) => void) => Promise<{ served: boolean }>,
    witness?: () => Promise<{ explanation: string }>,
  ) {
    const tryOnce = () => once((_, ticket) => void world.tickets.push(ticket))
    const first = await tryOnce()
    const last = first.served ? first : await tryOnce()
    return witness ? { ...last, persistent: (await witness()).explanation } : last
  },
  witnessFeed: async () => ({ served: true, explanation: 'each of 4 attempts' }),
}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/time/has-control.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))

beforeEach(() => void Object.assign(world, { served: [], tickets: [] }))

async function judge(options: {
  credential?: Credential
  young?: string[]
  agesMs?: number[]
  confirms?: boolean
}): Promise<string> {
  const {
    credential = { bearer: 'x' },
    young = ['d', 'c', 'b', 'a'],
    agesMs = [50_000],
    confirms = false,
  } = options
  const ages = [...agesMs]
  const age = { ms: () => (ages.length > 1 ? ages.shift() : undefined) ?? ages[0] ?? 0 }
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => void (await judgeYoung({} as Target, judge, { credential, young, age, confirms })), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason, evidence }) =>
      found.push([verdict, observed || reason, ...evidence].join(' ')),
  })
  return found.join()
}

test('a ticket that authenticates the second time is good', async () => {
  world.served = [false, true]
  expect([await judge({}), world.tickets]).toEqual(['pass authenticates after 50 s', ['a', 'b']])
})

test.each<[Parameters<typeof judge>[0], string]>([
  [{}, 'fail a ticket of an API token does not authenticate after 50 s'],
  [
    { credential: { cookie: 'at=1', csrf: undefined } },
    'fail a ticket of a session does not authenticate after 50 s',
  ],
  [
    { confirms: true, agesMs: [45_000, 53_000] },
    'fail a ticket of an API token does not authenticate after 53 s each of 4 attempts',
  ],
  [{ agesMs: [55_001, 50_000] }, 'inconclusive the ticket was 55001 ms old by then'],
  [{ young: ['a'] }, 'inconclusive no young ticket is left'],
])('tickets that never authenticate, with %j: %s', async (options, expected) => {
  expect(await judge(options)).toBe(expected)
})
