import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeSize } from './feed-access.ts'

const RULE = 'ws.frame.2000-accepted'
type Socket = { code: number }
/** `codes`: how the sockets that send the frame end; 0: the frame is processed. */
const world = vi.hoisted(() => ({ codes: [] as number[], isDown: false }))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', async () => {
  const { CannotJudge } = await import('../lib/verdict/judge.ts')
  return {
    countControls: () => 0,
    isLost: ({ code }: Socket) => code === 1006,
    isServedWithWitness: async ({ code }: Socket) => code === 0,
    async mustServe() {
      if (world.isDown) throw new CannotJudge('not served')
    },
    async openServedFeed() {
      const code = world.codes.shift() ?? 0
      return { code, closed: () => ({ code, reason: '' }), close() {}, evidence: () => [] }
    },
  }
})
vi.mock('../lib/identity/altered-secrets.ts', () => ({}))
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/cookie-attributes.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'x' }) }))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/sign-in-too.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/k6-params.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('./feed-synchronize.ts', () => ({}))

const PASS = 'pass all 1 frames are processed'
const FAIL = 'fail a frame of 2000 bytes is not processed'

test.each<[string, number[], boolean, string]>([
  ['processes it', [0], false, PASS],
  ['is cut once', [1006], false, PASS],
  ['is cut each time', [1006, 1006, 1006, 1006], false, FAIL],
  ['is cut each time, as others', [1006, 1006, 1006, 1006], true, 'inconclusive not served'],
  ['is closed', [1009], false, FAIL],
])('a socket that gets a frame of 2,000 bytes and %s', async (_, codes, isDown, expected) => {
  Object.assign(world, { codes: [...codes], isDown })
  const found: string[] = []
  const size = { rule: RULE, frames: [{ bytes: 2000, frame: '{}' }], expected: true }
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeSize({} as Target, judge, size), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  expect(found).toEqual([expected])
})
