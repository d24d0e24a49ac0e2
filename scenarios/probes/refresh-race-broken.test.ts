import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Session } from '../lib/identity/session.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeBroken } from './refresh-race.ts'

/** Statuses of the races in order, and of other reads. */
const world = vi.hoisted(() => ({ races: [] as number[][], other: 200, signIns: 0 }))

// Modules that need k6.
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  endSession: async () => {},
  getCredential: () => ({}),
  replaceSession: () => {},
  signIn: async () => void world.signIns++,
}))
vi.mock('../lib/requests/request.ts', () => ({
  async send(_: Target, { path }: { path: string }) {
    const status = path === '/pools' ? world.other : (world.races[0]?.shift() ?? 0)
    if (world.races[0]?.length === 0) world.races.shift()
    return { status, evidence: () => `-> ${status}` }
  },
}))

beforeEach(() => void Object.assign(world, { other: 200, signIns: 0 }))

const BROKEN = [200, 409, 503]
const CLEAN = [200, 409, 409]

/** The statuses of the race that is judged, or the verdict without one. */
async function judge(...races: number[][]): Promise<string> {
  const [first = [], ...more] = races.map((statuses) => [...statuses])
  const replies = first.map((status) => ({ status }) as Reply) // as: the only part used
  world.races = more
  const found: string[] = []
  await judgeProbe({
    rules: ['rule'],
    getExpected: () => '',
    async run(judge) {
      const race = { session: {} as Session, racers: 3, rules: { oneWinner: 'rule', survives: 'rule' } } // as: unused
      const judged = await judgeBroken({} as Target, judge, { race, replies }) // as: unused
      judge.pass('rule', judged.map(({ status }) => status).join())
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found.join()
}

test('the second race is judged if it got no 5xx', async () => {
  expect([await judge(BROKEN, CLEAN), world.signIns]).toEqual(['pass 200,409,409', 1])
})

test('two races with 5xx fail if other requests are served', async () => {
  expect(await judge(BROKEN, BROKEN)).toMatch(/^fail 200, 409, 503, then 200, 409, 503/)
})

test('a third race is judged if other requests got a 5xx too', async () => {
  world.other = 502
  expect([await judge(BROKEN, BROKEN, CLEAN), world.signIns]).toEqual(['pass 200,409,409', 2])
})

test('three races with 5xx and other errors prove nothing', async () => {
  world.other = 502
  expect(await judge(BROKEN, BROKEN, BROKEN)).toMatch(
    /^inconclusive three races with a 5xx: .*; in the second, 1 of 3 responses are 5xx, and 20 of 20 other reads/,
  )
})
