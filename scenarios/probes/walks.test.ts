import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { exploreWalk } from './walks.ts'

const ROWS = Array.from({ length: 21 }, (_, index) => ({
  key: `k${index + 10}`,
  createdAt: String(index + 10),
}))

type Query = { limit: number; query: { order: string } }
const world = vi.hoisted(() => ({
  /** Smallest total of the walk in small pages. */
  leastTotal: 21,
  /** Its rows. */
  edit: (rows: unknown[]) => rows,
}))

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/judge-errors.ts', () => ({}))
vi.mock('../lib/market/judge-order.ts', () => ({ judgeOrder: async () => {} }))
vi.mock('../lib/market/page-offsets.ts', () => ({
  findRepeatedPage: async () => undefined,
  findRoundedOffset: async () => undefined,
  judgeFarOffset: async () => {},
}))
vi.mock('../lib/market/swap-pages.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../lib/requests/walk.ts', () => ({
  async walkPages(_: Target, { limit, query }: Query) {
    const all = query.order === 'asc' ? ROWS : ROWS.toReversed()
    const isNarrow = limit === 7 && query.order === 'asc'
    const rows = isNarrow ? world.edit(all) : all
    const leastTotal = isNarrow ? world.leastTotal : ROWS.length
    return { rows, ended: true, pages: 3, leastTotal, mostTotal: ROWS.length, last: { evidence: () => '' } }
  },
}))

beforeEach(() => void Object.assign(world, { leastTotal: 21, edit: (rows: unknown[]) => rows }))

async function judge(): Promise<string> {
  const sort = { createdAt: { field: 'createdAt', compare: 'text', stable: true } }
  const target = { profile: { choices: { explorePools: { sort } } } }
  const found: string[] = []
  await judgeProbe({
    rules: ['paging.explore.complete'],
    getExpected: () => '',
    run: (judge) => exploreWalk.run(target as unknown as Target, judge), // as: the only part used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found.join()
}

const repeatOne = (rows: unknown[]) => [...rows.slice(0, 7), ...rows.slice(6, 20)]

test('walks that agree pass', async () => {
  expect(await judge()).toBe('pass 21 rows in 3 pages, sort createdAt')
})

test('a row repeated in pages with one total fails', async () => {
  world.edit = repeatOne
  expect(await judge()).toMatch(/^fail .* 1 rows repeated, the first k16; 1 rows lost/)
})

test('pages with different totals, as of replicas, prove nothing', async () => {
  Object.assign(world, { edit: repeatOne, leastTotal: 20 })
  expect(await judge()).toMatch(/^inconclusive the list changed during the walks: .* 1 rows repeated/)
})

test('walks until the pages have one total, eight times at most', async () => {
  let walks = 0
  const edit = (rows: unknown[]) => {
    if (++walks === 6) world.leastTotal = 21
    return repeatOne(rows)
  }
  Object.assign(world, { edit, leastTotal: 20 })
  expect([await judge(), walks]).toEqual([expect.stringMatching(/^fail .* 1 rows repeated/), 6])
})

test('more rows than any total fail', async () => {
  Object.assign(world, { edit: (rows: unknown[]) => [...rows, { key: 'k99' }], leastTotal: 20 })
  expect(await judge()).toMatch(/^fail .*: 22 rows, and the total is 21/)
})
