import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeAgain } from './feed-access.ts'

const RULE = 'ws.sync.answered'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
/** Responses of the sockets that have left a room. */
const left = vi.hoisted(() => ({ answers: [] as boolean[], opened: 0 }))
vi.mock('../lib/feed/served-feed.ts', () => ({
  LOST: 'lost',
  UNRESPONSIVE: 'mute',
  isServed: async ({ answers }: Socket) => answers.shift() ?? false,
  isLost: ({ end }: Socket) => end === 'lost',
  isUnresponsive: async ({ end }: Socket) => end === 'mute',
  // A witness that synchronizes a second time gets no response either.
  isServedWithWitness: async () => {
    throw new Error('the witness is not served')
  },
  mustServe: async () => {},
  openServedFeed: async () => ({
    answers: [left.answers[left.opened++]],
    send() {},
    close() {},
    evidence: () => [],
  }),
}))
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/sign-in-too.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/k6-params.ts', () => ({}))

type Socket = { answers: boolean[]; end?: 'lost' | 'mute' }

test.each<[Socket, string, boolean[]?]>([
  [{ answers: [true] }, 'pass', [true]],
  [{ answers: [true] }, 'pass', [false, false, false, true]],
  [{ answers: [true] }, 'fail', [false, false, false, false]],
  [{ answers: [false, false] }, 'fail'],
  [{ answers: [false, true] }, 'inconclusive'],
  [{ answers: [false, false], end: 'lost' }, 'inconclusive'],
  [{ answers: [false, false], end: 'mute' }, 'inconclusive'],
])('a socket that was synchronized once, and then is %j: %s', async (socket, expected, afterLeave = []) => {
  Object.assign(left, { answers: afterLeave, opened: 0 })
  const found: string[] = []
  const feed = { ...socket, evidence: () => [] } as unknown as Feed // as: only these members are used
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeAgain({} as Target, judge, { feed, credential: { bearer: 'x' } }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => found.push(verdict),
  })
  expect(found).toEqual([expected])
})
