import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { awaitOwed, countUpdates } from './await-owed.ts'

/** Each wait produces a swap; events arrive after the given number of waits. */
const world = vi.hoisted(() => ({
  waits: 0,
  comesAfter: 0,
  watched: 0,
  bounds: [] as number[],
  read: (_path: string): object => ({}),
}))

vi.mock('../world/control.ts', () => ({
  nowMs: async () => world.waits * 10_000,
  advanceChain: async (_: unknown, options: { done: () => boolean; waitMsMax: number }) => {
    const { done, waitMsMax } = options
    world.bounds.push(waitMsMax)
    if (waitMsMax > 0) world.waits++
    return done()
  },
}))
vi.mock('../requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async (_: Target, { path }: { path: string }) => world.read(path),
}))
vi.mock('./swap-watch.ts', () => ({
  watchSwaps: async () => {
    const since = world.waits
    world.watched++
    return {
      check: async () => {},
      fresh: () => Array.from({ length: world.waits - since }, (_, index) => ({ id: `s${index}` })),
    }
  },
}))

beforeEach(() =>
  Object.assign(world, { waits: 0, comesAfter: Number.POSITIVE_INFINITY, watched: 0, bounds: [] }),
)

const await_ = (isOwing: (swap: Record<string, unknown>) => boolean, untilMs?: number) =>
  awaitOwed({} as Target, {
    // as: unused
    done: () => world.waits >= world.comesAfter,
    isOwing,
    credential: { bearer: 'ss_token' },
    eachTurn: async () => {},
    ...(untilMs === undefined ? {} : { untilMs }),
  })

test('an immediate event needs no REST read', async () => {
  world.comesAfter = 1
  expect(await await_(() => true)).toEqual({ came: true, swaps: 0, seconds: 10 })
  expect(world.watched).toBe(0)
})

test('a later event counts', async () => {
  world.comesAfter = 3
  expect(await await_(() => true)).toMatchObject({ came: true, swaps: 0 })
})

test('without events, counts the swaps that should have triggered them, and the waiting time', async () => {
  expect(await await_(({ id }) => id !== 's0')).toEqual({ came: false, swaps: 3, seconds: 50 })
})

test('before the end of its time, waits as long; at that end, counts nothing', async () => {
  expect(await await_(() => true, Date.now() + 1_000_000)).toMatchObject({ swaps: 4 })
  expect(world.bounds).toEqual([25_000, 15_000, 15_000, 15_000, 15_000])
  expect(await await_(() => true, 0)).toMatchObject({ came: false, swaps: 0 })
  expect(world.watched).toBe(1)
})

test.each([
  [
    'one of two records differs each time',
    (path: string) => ({ status: 200, json: path.includes('/k1/') ? world.waits : 0 }),
    3,
  ],
  ['errors in between', () => ({ status: world.waits % 2 === 0 ? 200 : 503, json: world.waits }), 0],
  ['equal records', () => ({ status: 200, json: { price: '1' } }), 0],
])('%s: counts the updates over REST', async (_, read, updates) => {
  world.read = read
  const options = { pools: ['k1', 'k2'], record: 'stats', eachTurn: async () => {} } as const
  expect(await countUpdates({} as Target, options)).toBe(updates) // as: unused
})
