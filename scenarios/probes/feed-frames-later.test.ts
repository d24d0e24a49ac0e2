import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { sendAfterMinute, sendSoon } from './feed-frames-later.ts'

const world = vi.hoisted(() => ({ nowMs: 58_000, lateMs: 0, isClosed: false, isLost: false }))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: async (feed: { frames: string[] }, token: string) =>
    void feed.frames.push(`${world.nowMs} ${token}`),
  takeTicket: async () => ({ ticket: 'fresh' }),
  countControls: (feed: { responses: number }) => feed.responses,
  isLost: () => world.isLost,
  throwIfRestarted: () => undefined,
}))
vi.mock('../lib/world/control.ts', () => ({
  async elapse(_: Target, ms: number) {
    world.nowMs += ms + world.lateMs
  },
  nowMs: async () => world.nowMs,
}))

beforeEach(() => void Object.assign(world, { nowMs: 58_000, lateMs: 0, isClosed: false, isLost: false }))

/** A socket on which the server processes at most this number of frames more. */
async function send(framesMax: number, isSoon = false) {
  const feed = {
    responses: 238,
    frames: [] as string[],
    send() {
      if (feed.responses < 238 + framesMax) feed.responses++
      if (feed.frames.length < 2) feed.frames.push(`${world.nowMs} synchronize`)
    },
    until: async (done: () => boolean) => done(),
    closed: () => (world.isClosed ? { code: 1000, atMs: 0 } : undefined),
  }
  const used = feed as unknown as Feed // as: what is used of it
  const target = {} as Target // as: only its identity is used
  const later = isSoon
    ? await sendSoon(target, used)
    : await sendAfterMinute(target, { feed: used, credential: { bearer: 'x' } })
  return { later, frames: feed.frames }
}

test('renews while the ticket of before is valid, and sends more a minute after the last frame', async () => {
  expect(await send(240)).toEqual({
    later: { when: 'a minute later', processed: 15, sent: 15 },
    frames: ['66000 fresh', '119000 synchronize'],
  })
})

test('finds that a count of the whole life of a connection leaves no frame', async () => {
  expect((await send(1)).later).toMatchObject({ processed: 1, sent: 15 })
})

test.each([
  ['the waits took too long', { lateMs: 4000 }],
  ['the socket was closed', { isClosed: true }],
])('proves nothing if %s', async (_, state) => {
  Object.assign(world, state)
  expect((await send(0)).later).toBeUndefined()
})

test('finds some seconds later that the count of frames does not go down', async () => {
  expect(await send(240, true)).toEqual({
    later: { when: '8 s later', processed: 15, sent: 15 },
    frames: ['66000 synchronize', '66000 synchronize'],
  })
  Object.assign(world, { isClosed: true })
  expect((await send(1, true)).later).toMatchObject({ processed: 1, sent: 15 })
  Object.assign(world, { isLost: true })
  expect((await send(0, true)).later).toBeUndefined()
})
