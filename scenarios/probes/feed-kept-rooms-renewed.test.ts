import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { watchRenewedRoom } from './feed-kept-rooms.ts'

const world = vi.hoisted(() => ({
  sockets: [] as { received: { type: string }[]; isClosed: boolean }[],
  code: undefined as number | undefined,
  rejoins: [] as unknown[],
  isServed: true,
  problems: [] as string[],
}))

// Modules that need k6.
const TARGET = { profile: { control: null } } as unknown as Target // as: the only part used

vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('./feed-kinds.ts', () => ({}))
vi.mock('../lib/market/await-owed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  isServed: async () => world.isServed,
  takeTicket: async () => ({ ticket: 't' }),
  authenticatePatiently: async () => {},
  async openServedFeed() {
    const socket = { received: [], isClosed: false }
    const isRenewed = world.sockets.push(socket) === 2
    return {
      received: socket.received,
      closed: () => (isRenewed && world.code !== undefined ? { code: world.code } : undefined),
      hasResponded: () => true,
      until: async () => false,
      settled: async () => true,
      evidence: () => [],
      close() {
        socket.isClosed = true
      },
    } as unknown as Feed // as: the only parts used
  },
}))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/time/paused-mining.ts', () => ({ withMiningPaused: (fn: () => unknown) => fn() }))
vi.mock('../lib/world/keep-served.ts', () => ({
  async keepServed(_: Target, { rejoins }: { rejoins?: unknown }) {
    world.rejoins.push(rejoins)
    return async () => {}
  },
}))
vi.mock('../lib/probe/watch-records.ts', () => ({
  noteProblem: (rule: string, problem: string) => world.problems.push(`${rule}: ${problem}`),
}))

beforeEach(() => {
  Object.assign(world, { sockets: [], code: undefined, rejoins: [], isServed: true, problems: [] })
})

const watch = () =>
  watchRenewedRoom(TARGET, { credential: { bearer: 't' }, room: 'pool_launches', type: 'PoolLaunch' })

const LOST =
  'ws.ticket.renewal-keeps-rooms: silent after the renewal: pool_launches, of which a witness got 3 events'

test.each([
  { what: 'each got an event', witness: 1, renewed: 1, isSettled: true, problems: [] },
  { what: 'none came', witness: 0, renewed: 0, isSettled: false, problems: [] },
  { what: 'too few came', witness: 2, renewed: 0, isSettled: false, problems: [] },
  { what: 'the renewed socket missed three', witness: 3, renewed: 0, isSettled: true, problems: [LOST] },
  { what: 'the renewed socket missed some', witness: 4, renewed: 1, isSettled: true, problems: [] },
  { what: 'the renewed socket was lost', witness: 3, renewed: 0, code: 1006, isSettled: true, problems: [] },
  {
    what: 'the renewed socket is lost first',
    witness: 0,
    renewed: 0,
    code: 1006,
    isSettled: true,
    problems: [],
  },
])('$what', async ({ witness, renewed, code, isSettled, problems }) => {
  const watched = await watch()
  world.code = code
  for (const [socket, count] of [witness, renewed].entries())
    for (let event = 0; event < count; event++) world.sockets[socket]?.received.push({ type: 'PoolLaunch' })
  world.sockets[1]?.received.push({ type: 'Other' })
  expect(watched.isSettled()).toBe(isSettled)
  await watched.end()
  expect(world.problems).toEqual(problems)
  expect(world.sockets.every((one) => one.isClosed)).toBe(true)
})

test('only the witness joins the room again', async () => {
  await watch()
  expect(world.rejoins).toEqual([undefined, ['pool_launches']])
})

test('without a renewal, nothing is judged', async () => {
  world.isServed = false
  await expect(watch()).rejects.toThrow('the socket is not served after the renewal')
})
