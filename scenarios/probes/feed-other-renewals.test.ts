import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { judgeOthers, type Others, renewOthers } from './feed-other-renewals.ts'

const world = vi.hoisted(() => ({ steps: [] as string[], fails: '', cookie: 'old' }))

async function step(name: string): Promise<void> {
  world.steps.push(name)
  if (name.startsWith(world.fails) && world.fails !== '') throw new CannotJudge(name)
}

// Modules that need k6.
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: (_: object, ticket: string) => step(`authenticate ${ticket}`),
  async takeTicket(_: Target, { cookie }: { cookie: string }) {
    await step(`ticket of ${cookie}`)
    return { ticket: cookie }
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: () => ({ cookie: world.cookie, csrf: undefined }),
  async refresh() {
    await step('refresh')
    world.cookie = 'new'
  },
}))
vi.mock('./feed-ticket-checks.ts', () => ({
  judgeEnd: () => step('end'),
  judgeExpiry: () => step('expiry'),
  judgeMisled: (_: Target, __: Judge, { secret }: { secret: string }) => step(`misled ${secret}`),
  judgeRenewal: (_: Target, __: Judge, { renewedAtMs }: { renewedAtMs: number }) =>
    step(`renewal at ${renewedAtMs}`),
  secretOf: (_: Target, { cookie }: { cookie: string }) => cookie,
}))

beforeEach(() => void Object.assign(world, { steps: [], fails: '', cookie: 'old' }))

async function run(fails: string): Promise<string[]> {
  world.fails = fails
  const others = { credential: { cookie: 'old', csrf: undefined } } as Others // as: the only part used
  await renewOthers({} as Target, others, { ms: () => 51_000 }) // as: only its identity is used
  await judgeOthers({} as Target, {} as Judge, others) // as: only passed on
  return world.steps
}

test.each<[string, string[]]>([
  ['', ['refresh', 'ticket of new', 'authenticate new', 'end', 'expiry', 'misled new', 'renewal at 51000']],
  [
    'refresh',
    ['refresh', 'ticket of old', 'authenticate old', 'end', 'expiry', 'misled old', 'renewal at 51000'],
  ],
  ['ticket', ['refresh', 'ticket of new', 'end', 'expiry', 'misled new']],
])('renews after a refresh, if this fails: %j', async (fails, expected) => {
  expect(await run(fails)).toEqual(expected)
})
