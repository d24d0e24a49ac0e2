import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Credential } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeYoung } from './feed-tickets.ts'

const RULE = 'ws.ticket.lives-60s'
const world = vi.hoisted(() => ({ served: [] as boolean[], tickets: [] as string[] }))

// Modules that need k6.
vi.mock('./feed-kept-rooms.ts', () => ({}))
vi.mock('../lib/config.ts', () => ({ config: {} }))
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => ({ close() {}, evidence: () => [] }) }))
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: async () => {},
  isServed: async () => world.served.shift() ?? false,
  mustServe: async () => {},
  async tryTwice(
    once: (authenticate: (feed: object, ticket: string) => void) => Promise<{ served: boolean }>,
  ) {
    const tryOnce = () => once((_, ticket) => void world.tickets.push(ticket))
    const first = await tryOnce()
    return first.served ? first : await tryOnce()
  },
}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/probe/retry-check.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))

beforeEach(() => void Object.assign(world, { served: [], tickets: [] }))

async function judge(options: {
  credential?: Credential
  young?: string[]
  ageMs?: number
}): Promise<string> {
  const { credential = { bearer: 'x' }, young = ['d', 'c', 'b', 'a'], ageMs = 50_000 } = options
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) =>
      void (await judgeYoung({} as Target, judge, { credential, young, age: { ms: () => ageMs } })), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
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
  [{ ageMs: 55_001 }, 'inconclusive the ticket was 55001 ms old by then'],
  [{ young: ['a'] }, 'inconclusive no young ticket is left'],
])('tickets that never authenticate, with %j: %s', async (options, expected) => {
  expect(await judge(options)).toBe(expected)
})
