import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import { frameLimits, judgeSpread } from './feed-frames.ts'

const RULE = 'ws.frames.240-accepted'
const TARGET = { profile: { control: {} }, controlToken: 'x' } as unknown as Target // as: its clock can be moved

type Socket = { responses: number; frames: number; isLost: boolean }
const world = vi.hoisted(() => ({
  sockets: [] as Socket[],
  /** True if the server processes the next frame of a socket. */
  takes: (_socket: Socket, _all: Socket[]): boolean => true,
  /** True if the next frame of a socket cuts it. */
  cuts: (_socket: Socket, _all: Socket[], _action: string): boolean => false,
  later: undefined as { when: string; processed: number; sent: number } | undefined,
  calls: 0,
  isRestarted: false,
  rules: [] as string[],
}))

// Modules that need k6.
vi.mock('../lib/config.ts', () => ({ config: world }))
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({}) }))
vi.mock('../lib/world/control.ts', () => ({
  elapse: async (_: Target, ms: number) => {
    if (ms === 60_000) for (const socket of world.sockets) socket.frames = 0
    return ms
  },
  nowMs: async () => 0,
}))
vi.mock('./feed-frames-later.ts', () => ({
  async sendAfterMinute() {
    world.calls++
    return world.later
  },
  openWithoutPing: openSocket,
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  LOST: 'lost',
  mustServe: async () => {},
  throwIfRestarted() {
    if (world.isRestarted) throw new Error('restarted')
  },
  authenticate: async () => {},
  isLost: (socket: Socket) => socket.isLost,
  countControls: (socket: Socket) => socket.responses,
  takeTicket: async () => ({ ticket: 't' }),
  openServedFeed: openSocket,
}))

async function openSocket() {
  const socket = {
    ...{ responses: 1, frames: 2, isLost: false },
    send({ action }: { action: string }) {
      if (socket.isLost) return
      socket.frames++
      socket.isLost = world.cuts(socket, world.sockets, action)
      if (socket.isLost) return
      if (action === 'synchronize' && world.takes(socket, world.sockets)) socket.responses++
    },
    closed: () => (socket.isLost ? { code: 1006, reason: '' } : undefined),
    until: async (done: () => boolean) => done(),
    settled: async () => true,
    evidence: () => [],
    close() {},
  }
  world.sockets.push(socket)
  return socket
}

beforeEach(
  () =>
    void Object.assign(world, {
      sockets: [],
      takes: () => true,
      cuts: () => false,
      later: undefined,
      calls: 0,
      isRestarted: false,
      rules: [],
    }),
)

function judge(options: Parameters<typeof judgeSpread>[2]): Promise<string> {
  return run([RULE], async (judge) => void (await judgeSpread(TARGET, judge, options)))
}

async function run(rules: readonly string[], run: (judge: Judge) => Promise<void>): Promise<string> {
  const found: string[] = []
  await judgeProbe({
    rules,
    getExpected: () => '',
    run,
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found.join()
}

const SENT = 'frames processed, sent in 58.0 s, after authenticate'

test('sends 240 frames on one socket, and 60 more on another', async () => {
  expect(await judge({ others: 60 })).toBe(`pass 298 of 298 ${SENT}`)
  expect(world.sockets.map(({ frames }) => frames)).toEqual([240, 62])
})

test('by default, uses one socket', async () => {
  expect(await judge({})).toBe(`pass 238 of 238 ${SENT}`)
  expect([world.sockets.length, world.calls]).toEqual([1, 0])
})

test('a limit for all sockets of a wallet fails', async () => {
  const sum = (sockets: Socket[]) => sockets.reduce((all, { frames }) => all + frames, 0)
  world.takes = (_, sockets) => sum(sockets.slice(-2)) <= 240
  expect(await judge({ others: 60 })).toBe(`fail 236 of 298 ${SENT}`)
})

test('one response to several frames proves nothing', async () => {
  world.takes = ({ frames }) => frames % 2 === 0
  expect(await judge({})).toBe(
    `inconclusive one synchronized may respond to several frames: 120 of 238 ${SENT}`,
  )
})

test('the frames of a lost second socket do not count', async () => {
  world.takes = (socket, sockets) => {
    if (socket === sockets[1]) socket.isLost = true
    return socket !== sockets[1]
  }
  expect(await judge({ others: 60 })).toBe(`pass 238 of 238 ${SENT}`)
})

const isMain = (socket: Socket, all: Socket[]) => all.indexOf(socket) % 2 === 0

test.each<[string, typeof world.cuts, number, string]>([
  ['after 120 frames', ({ frames }) => frames > 120, 60, `fail 179 of 298 ${SENT}`],
  ['after 120 frames, without another one', ({ frames }) => frames > 120, 0, 'inconclusive lost'],
  [
    'after 120 frames, and 122 the second time',
    ({ frames }, all) => frames > (all.length > 2 ? 122 : 120),
    60,
    `fail 181 of 298 ${SENT}`,
  ],
  [
    'after 120 frames, and 123 the second time',
    ({ frames }, all) => frames > (all.length > 2 ? 123 : 120),
    60,
    'inconclusive lost',
  ],
  [
    'after 120 frames, but only the first time',
    ({ frames }, all) => all.length === 2 && frames > 120,
    60,
    `pass 298 of 298 ${SENT}`,
  ],
  [
    'after 120 frames, and the other one too',
    (socket, all) => socket.frames > (isMain(socket, all) ? 120 : 40),
    60,
    'inconclusive lost',
  ],
  ['at its renewal', (_, __, action) => action === 'authenticate', 60, 'inconclusive lost'],
])('a socket that is cut %s', async (_, cuts, others, expected) => {
  world.cuts = cuts
  expect(await judge({ others })).toBe(expected)
})

test.each([
  [
    { when: 'a minute later', processed: 15, sent: 15 },
    `pass 238 of 238 ${SENT}; a minute later, 15 of 15`,
    1,
  ],
  [{ when: 'a minute later', processed: 1, sent: 15 }, `fail 238 of 238 ${SENT}; a minute later, 1 of 15`, 2],
  [undefined, `pass 238 of 238 ${SENT}`, 1],
])('a minute later %j: %s', async (later, expected, calls) => {
  world.later = later
  expect([await judge({ later: 'minute' }), world.calls]).toEqual([expected, calls])
})

const AT_MOST = 'ws.frames.at-most-240'

const judgeBursts = () => run([AT_MOST], (judge) => frameLimits.run(TARGET, judge))

test('a restart that ends the spread does not end the bursts', async () => {
  Object.assign(world, { isRestarted: true, takes: ({ frames }: Socket) => frames <= 240 })
  expect(await judge({})).toMatch(/^inconclusive .*restarted/)
  const seen = '239 of 299 frames processed, sent in 0.0 s, after authenticate; at most 240 allowed'
  expect(await judgeBursts()).toBe(`pass ${seen}`)
})

test('joins and leaves that do not count fail, with the number of responses that are allowed', async () => {
  const seen = '61 of 61 frames processed, sent in 0.0 s, after authenticate; at most 21 allowed'
  expect(await judgeBursts()).toMatch(new RegExp(`^fail ${seen}, with 220 frames that join and leave a room`))
})

/** Judges a spread, more frames one minute later, and the bursts. `takesLate`: the server processes this frame of a later burst. */
async function judgeOld(takesLate: (frame: number) => boolean) {
  const takes = (socket: Socket) =>
    socket.frames <= 240 || (socket === world.sockets[0] && takesLate(socket.frames - 240))
  const later = { when: 'a minute later', processed: 15, sent: 15 }
  Object.assign(world, { rules: [RULE, AT_MOST], takes, later })
  return await run([AT_MOST], (judge) => frameLimits.run(TARGET, judge))
}

test('a socket more than a minute old without a limit fails', async () => {
  const seen = '300 of 300 frames processed, sent in 0.0 s, after authenticate; at most 240 allowed'
  expect(await judgeOld(() => true)).toBe(`fail ${seen}, on a socket more than a minute old`)
  expect(world.sockets[0]?.frames).toBe(840)
})

test.each([
  ['of which a minute begins within a burst', (frame: number) => frame <= 340, 840],
  ['with a limit', (frame: number) => frame <= 240, 540],
])('a socket more than a minute old %s passes', async (_, takesLate, frames) => {
  expect(await judgeOld(takesLate)).toMatch(/^pass 239 of 299/)
  expect(world.sockets[0]?.frames).toBe(frames)
})

test.each([
  [15, 1],
  [1, 0],
])('with %d of 15 frames later, leaves the socket to %d other checks', async (processed, expected) => {
  let calls = 0
  world.later = { when: 'a minute later', processed, sent: 15 }
  await judge({ later: 'minute', last: async () => void calls++ })
  expect(calls).toBe(expected)
})
