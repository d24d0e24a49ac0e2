import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgePrompt, judgeTardy } from './feed-authentication.ts'

/** `waits`: of the tries, none of which is served. `others`: how far other tries move the clock during each. */
const world = vi.hoisted(() => ({
  waits: [] as number[],
  othersMs: 0,
  clockMs: 0,
  opened: 0,
  deadlines: [0],
}))

type Socket = { place: number; openedMs: number; authenticatedMs: number; send(): void }

/** The last of the deadlines stays. */
const isTaken = ({ place, openedMs, authenticatedMs }: Socket) =>
  authenticatedMs - openedMs < (world.deadlines[Math.max(0, place - 5)] ?? world.deadlines.at(-1) ?? 0)

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({
  openFeed: async () => {
    const socket = {
      ...{ openedMs: world.clockMs, place: world.opened++, authenticatedMs: 0 },
      close() {},
      evidence: () => ['cut'],
      closed: () => undefined,
      settled: async () => true,
      sendText() {},
      send() {
        socket.authenticatedMs = world.clockMs
      },
    }
    return socket
  },
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  takeTicket: async () => ({ ticket: 't' }),
  isServed: async () => false,
  authenticatePatiently: async (socket: Socket) => socket.send(),
  isServedWithWitness: async (socket: Socket) => isTaken(socket),
  areServedWithWitness: async (sockets: Socket[]) => sockets.map(isTaken),
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
  async elapse(_: object, wantedMs: number) {
    const ms = world.waits.shift() ?? (world.deadlines.length > 0 ? wantedMs : 0)
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
    Object.assign(world, { waits: [...waits], othersMs, clockMs: 0, deadlines: [] })
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

test.each<[string, number[], RegExp]>([
  ['5 s', [5000], /^pass/],
  ['9 s', [9000], /^fail served after 8 s, 4 times/],
  ['9 s, three times', [9000, 9000, 9000, 5000], /^pass/],
  ['11 s', [11_000], /^fail served/],
])('silent sockets may authenticate within %s', async (_, deadlines, expected) => {
  Object.assign(world, { waits: [], othersMs: 0, clockMs: 0, opened: 0, deadlines })
  const found: string[] = []
  await judgeProbe({
    rules: ['ws.auth.deadline-5s'],
    getExpected: () => '',
    run: (judge) => judgeTardy({} as Target, judge, { bearer: 'x' }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  expect(found).toEqual([expect.stringMatching(expected)])
})
