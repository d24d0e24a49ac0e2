import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { joinLasting } from './feed-kept-rooms.ts'

type Received = { type?: string; control?: string; json: object; text: string }

const world = vi.hoisted(() => ({
  sockets: [] as { received: Received[]; rooms: readonly string[]; isClosed: boolean }[],
  isServed: true,
  /** Sends events to the lasting socket and its witness. */
  advance: () => {},
  problems: [] as string[],
}))

// Modules that need k6.
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('./feed-kinds.ts', () => ({}))
vi.mock('../lib/market/await-owed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  isServed: async () => world.isServed,
  async openServedFeed(_: Target, _credential: unknown, rooms: readonly string[]) {
    const socket = { received: [], rooms, isClosed: false }
    world.sockets.push(socket)
    return {
      received: socket.received,
      closed: () => undefined,
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
vi.mock('../lib/market/busy-pools.ts', () => ({ busyPools: async () => ['k1', 'k2'] }))
vi.mock('../lib/world/control.ts', () => ({ advanceChain: async () => world.advance() }))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('../lib/probe/watch-records.ts', () => ({
  noteProblem: (rule: string, problem: string) => world.problems.push(`${rule}: ${problem}`),
}))

const [LASTING, WITNESS] = [0, 1]

function trade(socket: number, pool = 'k1'): void {
  const json = { type: 'Trade', data: { pool } }
  world.sockets[socket]?.received.push({ ...json, json, text: '' })
}

function resync(): void {
  world.sockets[LASTING]?.received.push({ control: 'resync_required', json: {}, text: '' })
}

beforeEach(() => void Object.assign(world, { sockets: [], isServed: true, advance: () => {}, problems: [] }))

const choices = choicesSchema.parse({ events: { pool: 'data.pool' } })
const TARGET = { profile: { choices } } as Target // as: the only part used

const SILENT =
  'ws.ticket.renewal-keeps-rooms: silent more than a minute after the join: trades, of which a witness got 3 events'
const threeTrades = () => ['k1', 'k2', 'k1'].forEach((pool) => void trade(WITNESS, pool))

test.each<{
  what: string
  before?: () => void
  advance?: (() => void)[]
  isServed?: boolean
  problems: string[]
}>([
  {
    what: 'the witness gets three trades, the lasting socket none',
    advance: [threeTrades],
    problems: [SILENT],
  },
  {
    what: 'the same after a resync_required of before',
    before: resync,
    advance: [threeTrades],
    problems: [SILENT],
  },
  { what: 'the same with one of now', advance: [() => threeTrades(), () => resync()], problems: [] },
  { what: 'the same on a socket that is not served', advance: [threeTrades], isServed: false, problems: [] },
  { what: 'both get trades', advance: [() => threeTrades(), () => trade(LASTING)], problems: [] },
  { what: 'the witness gets two', advance: [() => trade(WITNESS), () => trade(WITNESS)], problems: [] },
  {
    what: 'only earlier trades came',
    before: () => trade(LASTING),
    advance: [threeTrades],
    problems: [SILENT],
  },
])('$what', async ({ before, advance = [], isServed = true, problems }) => {
  const lasting = await joinLasting(TARGET, { bearer: 't' })
  before?.()
  Object.assign(world, { isServed, advance: () => advance.forEach((step) => void step()) })
  await lasting.end()
  expect(world.problems).toEqual(problems)
  expect(world.sockets).toMatchObject(
    [LASTING, WITNESS].map(() => ({ rooms: ['trades:k1', 'trades:k2'], isClosed: true })),
  )
})
