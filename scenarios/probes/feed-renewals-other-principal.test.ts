import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { renewalByAnother } from './feed-renewals.ts'

type Socket = { place: number; isIdle: boolean; close(): void; closed(): object | undefined; evidence(): [] }
const world = vi.hoisted(() => ({
  ...{ opened: 0, isOld: false, isServed: false },
  /** Closes by the place of the socket, before and after it is renewed. */
  ...{ early: {} as Record<number, number>, late: {} as Record<number, number> },
}))

const getCode = ({ place }: Pick<Socket, 'place'>) =>
  world.early[place] ?? (world.isOld ? world.late[place] : undefined)

// Modules that need k6.
vi.mock('../lib/identity/wallet.ts', () => ({ walletFor: (_: Target, use: string) => ({ address: use }) }))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: () => ({}),
  withSession: async (_: Target, __: object, use: (session: object) => Promise<void>) => await use({}),
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  ...{ authenticate: async () => {}, takeTicket: async () => ({ ticket: 't' }) },
  isLost: (feed: Socket) => getCode(feed) === 1012,
  isServedWithWitness: async () => world.isServed,
  throwIfRestarted(feed: Socket) {
    if (getCode(feed) === 1012) throw new Error('restarted')
  },
}))
vi.mock('./feed-ticket-checks.ts', () => ({
  ...{ OLD_MS: 75_000, YOUNG_MS: 50_000 },
  startAge: () => ({
    async until(ms: number) {
      world.isOld = ms === 75_000
    },
  }),
  async openAuthenticated() {
    const place = world.opened++
    const closed = () => (getCode({ place }) === undefined ? undefined : { code: getCode({ place }) })
    return { place, closed, close() {}, evidence: () => [] }
  },
}))

beforeEach(() => void Object.assign(world, { opened: 0, isOld: false, isServed: false, early: {}, late: {} }))

test.each<[string, Partial<typeof world>, string, number]>([
  ['both ended', { late: { 0: 4001, 1: 4001 } }, 'pass closed with 4001', 2],
  [
    'a restart before the renewal',
    { early: { 0: 1012, 1: 1012 }, late: { 2: 4001, 3: 4001 } },
    'pass closed with 4001',
    4,
  ],
  ['a renewal that counts', { isServed: true, late: { 1: 4001 } }, 'fail served at 75 s', 2],
  [
    'a renewal that counts after a restart',
    { isServed: true, early: { 0: 1012, 1: 1012 }, late: { 3: 4001 } },
    'fail served at 75 s',
    4,
  ],
  ['a witness that a restart ended', { isServed: true, late: { 1: 1012 } }, 'inconclusive', 2],
  ['no end', { isServed: true }, 'inconclusive a socket without any renewal stays open too', 2],
])('%s', async (_, state, expected, opened) => {
  Object.assign(world, state)
  const found: string[] = []
  await judgeProbe({
    rules: renewalByAnother.rules,
    getExpected: () => '',
    run: (judge) => renewalByAnother.run({} as Target, judge), // as: unused
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  expect(found[0]).toContain(expected)
  expect(world.opened).toBe(opened)
})
