import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { tickets } from './feed-tickets.ts'

/** `ms`: the age of the first ticket. Each request for one lasts `requestMs`. */
const world = vi.hoisted(() => ({ ms: 0, requestMs: 0, issuedMs: [] as number[], ages: [] as number[] }))

// Modules that need k6.
vi.mock('./feed-kept-rooms.ts', () => ({ joinLasting: async () => undefined }))
vi.mock('../lib/config.ts', () => ({ config: { slow: false } }))
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => createFeed(0) }))
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: async () => {},
  isLost: () => false,
  isServed: async () => true,
  takeTicket: async () => {
    world.ms += world.requestMs
    return { ticket: `${world.ms}` }
  },
  tryTwice: (once: (authenticate: () => Promise<void>) => Promise<object>) => once(async () => {}),
}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'x' }) }))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/sign-in-too.ts', () => ({ signInToo: async () => undefined }))
vi.mock('../lib/time/has-control.ts', () => ({ hasControl: () => false }))
vi.mock('./feed-renewals.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./feed-ticket-checks.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  judgeExpiry: async (_: Target, __: object, { old }: { old: string[] }) =>
    void world.ages.push(world.ms - Number(old.at(-1))),
  judgeEnd: async (_: object, { issuedMs }: { issuedMs: number }) =>
    void (issuedMs > 0 && world.ages.push(world.ms - issuedMs)),
  judgeMisled: async () => {},
  judgeRenewal: async () => true,
  secretOf: () => '',
  openAuthenticated: async (_: Target, ticket: string) => createFeed(Number(ticket)),
  startAge: () => ({
    ms: () => world.ms,
    async until(ms: number) {
      world.ms = Math.max(world.ms, ms)
    },
  }),
}))

function createFeed(issuedMs: number) {
  return { issuedMs, closed: () => undefined, send() {}, close() {}, evidence: () => [] }
}

async function run(requestMs: number): Promise<string[]> {
  Object.assign(world, { ms: 0, requestMs, ages: [] })
  const found: string[] = []
  await judgeProbe({
    rules: ['ws.ticket.expires-60s'],
    getExpected: () => '',
    run: (judge) => tickets.run({} as Target, judge), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ reason }) => found.push(reason ?? ''),
  })
  return found
}

test('old tickets are at least 75 s old when they are judged, however long the requests take', async () => {
  await run(2000)
  expect(Math.min(...world.ages)).toBe(79_000)
})

test('tickets issued over more than 25 s are not judged', async () => {
  expect([await run(2500), world.ages]).toEqual([['tickets were issued over 27500 ms'], []])
})
