import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { ClientFrame } from '../../../contract/schemas/wire.ts'
import type { Feed } from '../feed/feed.ts'
import { isMiningPaused } from '../time/paused-mining.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { keepServed } from './keep-served.ts'

const world = vi.hoisted(() => ({ nowMs: 0, tickets: 0, held: [] as boolean[] }))

vi.mock('./control.ts', () => ({ nowMs: async () => world.nowMs }))
vi.mock('../feed/served-feed.ts', () => ({
  throwIfRestarted(feed: Feed) {
    if (feed.closed()?.code === 1012) throw new CannotJudge('the gateway was restarted')
  },
  takeTicket: async () => {
    world.held.push(isMiningPaused())
    return { ticket: `ticket-${++world.tickets}` }
  },
}))

beforeEach(() => Object.assign(world, { nowMs: 0, tickets: 0, held: [] }))

const TARGET = {} as Target // as: unused

function createFeed(closed?: { code: number; reason: string }): { feed: Feed; sent: ClientFrame[] } {
  const sent: ClientFrame[] = []
  const feed: Feed = {
    received: [],
    closed: () => closed,
    send: (frame) => void sent.push(frame),
    sendText() {},
    until: async () => false,
    settled: async () => true,
    hasResponded: () => true,
    close() {},
    lastSent: () => '',
    evidence: () => [],
  }
  return { feed, sent }
}

test('renews each open socket with its own ticket before expiry', async () => {
  const [one, other, gone] = [createFeed(), createFeed(), createFeed({ code: 1000, reason: '' })]
  const feeds = [one.feed, other.feed, gone.feed]
  const renew = await keepServed(TARGET, { credential: { bearer: 'ss_token' }, feeds })
  for (let second = 0; second < 60; second++) {
    world.nowMs = second * 1000
    await renew()
  }
  const tokens = [one, other].map(({ sent }) => sent.map((frame) => ('token' in frame ? frame.token : '')))
  expect(tokens).toEqual([
    ['ticket-1', 'ticket-3'],
    ['ticket-2', 'ticket-4'],
  ])
  expect(gone.sent).toEqual([])
})

test('throws if a socket was closed for a restart', async () => {
  const gone = createFeed({ code: 1012, reason: '' })
  const renew = await keepServed(TARGET, { credential: { bearer: 'ss_token' }, feeds: [gone.feed] })
  await expect(renew()).rejects.toThrow(CannotJudge)
})

test('the clock is held during the renewal', async () => {
  const renew = await keepServed(TARGET, { credential: { bearer: 'ss_token' }, feeds: [createFeed().feed] })
  world.nowMs = 30_000
  await renew()
  expect(world.held).toEqual([true])
  expect(isMiningPaused()).toBe(false)
})
