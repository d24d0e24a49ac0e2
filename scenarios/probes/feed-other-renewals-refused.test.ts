import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { openRefusedOnce } from './feed-other-renewals.ts'

const world = vi.hoisted(() => ({ steps: [] as string[], isServed: true, tickets: [] as string[] }))

// Modules that need k6.
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: async (_: object, ticket: string) => void world.steps.push(`renew with ${ticket}`),
  isServed: async () => world.isServed,
  takeTicket: async () => ({ ticket: world.tickets.shift() }),
}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('./feed-ticket-checks.ts', () => ({
  async judgeRenewal(_: Target, __: Judge, { renewedAtMs }: { renewedAtMs: number }) {
    world.steps.push(`judge, renewed at ${renewedAtMs}`)
  },
  async openAuthenticated(_: Target, ticket: string) {
    world.steps.push(`open with ${ticket}`)
    return {
      send: ({ token }: { token: string }) => void world.steps.push(`send ${token}`),
      close: () => void world.steps.push('close'),
    }
  },
}))

beforeEach(() => void Object.assign(world, { steps: [], isServed: true, tickets: ['ticket-one', 'fresh'] }))

async function run(): Promise<string[]> {
  // as: only its identity is used
  const socket = await openRefusedOnce({} as Target, {
    credential: { bearer: 'x' },
    age: { ms: () => 50_000 },
  })
  socket.refuse()
  await socket.renew()
  await socket.judge({} as Judge) // as: only passed on
  return world.steps
}

test('renews a socket that is still served after a ticket that was never issued', async () => {
  expect(await run()).toEqual([
    'open with ticket-one',
    'send ticket-Ine',
    'renew with fresh',
    'judge, renewed at 50000',
  ])
})

test('a socket that is no longer served then proves nothing', async () => {
  world.isServed = false
  expect(await run()).toEqual(['open with ticket-one', 'send ticket-Ine', 'close'])
})
