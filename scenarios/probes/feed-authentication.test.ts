import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgePrompt } from './feed-authentication.ts'

/** `waits`: of the tries, none of which is served. `others`: how far other tries move the clock during each. */
const world = vi.hoisted(() => ({ waits: [] as number[], othersMs: 0, clockMs: 0 }))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => ({ close() {}, evidence: () => ['cut'] }) }))
vi.mock('../lib/feed/served-feed.ts', () => ({
  takeTicket: async () => ({ ticket: 't' }),
  isServed: async () => false,
  mustServe: async () => {},
  witnessFeed: async () => ({ explanation: 'each of 4 attempts' }),
  async tryTwice(
    once: (authenticate: () => Promise<void>) => Promise<object>,
    witness: () => Promise<{ explanation: string }>,
  ) {
    let last = {}
    while (world.waits.length > 0) last = await once(async () => {})
    return { ...last, persistent: (await witness()).explanation }
  },
}))
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({
  async elapse() {
    const ms = world.waits.shift() ?? 0
    world.clockMs += ms + world.othersMs
    return ms
  },
  nowMs: async () => world.clockMs,
}))

test.each<[number[], number, RegExp]>([
  [[4000, 4000, 4000], 0, /^fail not served each of 4 attempts cut$/],
  [[4000, 5000, 4000], 0, /^inconclusive the wait took 5000 ms$/],
  [[4000, 4000, 4000], 4000, /^inconclusive the wait took 8000 ms$/],
])(
  'sockets that are lost after waits of %j, while others move the clock by %d ms: %s',
  async (waits, othersMs, expected) => {
    vi.spyOn(Date, 'now').mockReturnValue(0)
    Object.assign(world, { waits: [...waits], othersMs, clockMs: 0 })
    const found: string[] = []
    await judgeProbe({
      rules: ['ws.auth.within-5s'],
      getExpected: () => '',
      run: (judge) => judgePrompt({} as Target, judge, { bearer: 'x' }), // as: only its identity is used
      scenario: 'test',
      nowMs: () => 0,
      emit: ({ verdict, observed, reason, evidence }) =>
        found.push([verdict, observed || reason, ...evidence].join(' ')),
    })
    expect(found).toEqual([expect.stringMatching(expected)])
  },
)
