import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeEarlier } from './refresh.ts'

const RULE = 'auth.refresh.rotates'

const stub = vi.hoisted(() => ({
  /** Statuses of refreshes of earlier sessions, in turn; the last one repeats. */
  statuses: [200],
  isAlive: true,
  isLiveServed: true,
  /** The number of sessions that the wallet may have. */
  sessionsMax: 2,
  started: [] as string[],
  ended: [] as string[],
  refreshed: [] as string[],
}))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/session.ts', async () => {
  const { CannotJudge } = await import('../lib/verdict/judge.ts')
  return {
    endSession: async (_: Target, name: string) => void stub.ended.push(name),
    getCredential: (name: string) => name,
    isAlive: async () => ({ alive: stub.isAlive, reply }),
    async refresh(_: Target, name: string) {
      stub.refreshed.push(name)
      const [status = 0, ...later] = stub.statuses
      if (later.length > 0) stub.statuses = later
      return { ...reply, status }
    },
    async signIn() {
      if (stub.started.length - stub.ended.length === stub.sessionsMax) throw new CannotJudge('rejected')
      const name = `session ${stub.started.length + 1}`
      stub.started.push(name)
      return name
    },
  }
})
vi.mock('../lib/requests/request.ts', () => ({}))
// Longer pauses end later: the attempts follow one another.
vi.mock('../lib/time/pause.ts', () => ({
  async pause(ms: number) {
    for (let turn = 0; turn < ms; turn++) await undefined
  },
}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./refresh-cookie.ts', () => ({}))
vi.mock('./session-checks.ts', () => ({
  refreshLive: async () => ({ served: stub.isLiveServed, explanation: '' }),
}))

beforeEach(() => {
  Object.assign(stub, {
    statuses: [200],
    isAlive: true,
    isLiveServed: true,
    sessionsMax: 2,
    started: [],
    ended: [],
    refreshed: [],
  })
})
async function verdict(): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeEarlier({} as Target, judge, {} as never), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(stub.ended.toSorted()).toEqual(stub.started.toSorted())
  return found
}

test('a rejection that persists is reported, each time of the earlier of two new sessions', async () => {
  stub.statuses = [401]
  expect(await verdict()).toMatch(
    /^fail a session whose wallet has signed in again since: 401 in each of 4 attempts/,
  )
  expect(stub.refreshed).toEqual(['session 1', 'session 3', 'session 5', 'session 7'])
})

test.each<[what: string, state: object]>([
  ['a refresh', {}],
  ['a rejection that does not last', { statuses: [401, 401, 200] }],
  ['an error', { statuses: [500] }],
  ['an earlier session that has ended', { statuses: [401], isAlive: false }],
  ['a rejection while the later session cannot refresh either', { statuses: [401], isLiveServed: false }],
  ['a wallet with one session at most', { statuses: [401], sessionsMax: 1 }],
])('%s is not reported', async (_, state) => {
  Object.assign(stub, state)
  expect(await verdict()).toBe('inconclusive')
})
