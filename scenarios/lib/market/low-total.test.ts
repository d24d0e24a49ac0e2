import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { countDifferent, findLowTotal } from './low-total.ts'

/** The number of rows and the total of each walk. */
const list = vi.hoisted(() => ({ walks: [] as (readonly [number, number])[], offsets: [] as number[] }))

vi.mock('../requests/walk.ts', () => ({
  async walkPages(_: Target, { from = 0 }: { from?: number }) {
    list.offsets.push(from)
    const [count, mostTotal] = list.walks.shift() ?? []
    const rows = Array.from({ length: count ?? 0 }, (_, index) => ({ id: `${from + index}` }))
    return { rows, ended: false, mostTotal, last: { evidence: () => 'shown' } }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() => {
  list.offsets = []
})

const find = () => findLowTotal({} as Target, { path: '/swaps', limit: 9, rowsMax: 9, id: 'id' }) // as: unused

test.each([
  { ids: ['1', '2'], from: 0, count: 2 },
  { ids: ['1', '1'], from: 0, count: 1 },
  { ids: ['1', undefined], from: 7, count: 8 },
])('the rows $ids from $from on are $count', ({ ids, from, count }) => {
  expect(countDifferent({ rows: ids.map((id) => ({ id })), from }, 'id')).toBe(count)
})

test.each([
  { walks: Array(4).fill([2, 1]), why: 'stays low', found: /^2 different rows, and then a total of 1: more/ },
  { walks: [4, 5, 6, 7].map((count) => [count, count - 3]), why: 'grows past them', found: undefined },
  {
    walks: [4, 5, 6, 7].map((count) => [count + 3, count - 1]),
    why: 'grows, but not enough',
    found: /^7 .* 6:/,
  },
  {
    walks: [
      [2, 1],
      [1, 1],
    ],
    why: 'was ahead of the rows',
    found: undefined,
  },
  { walks: [[2, 2]], why: 'counts them', found: undefined },
] as const)('a total that $why', async ({ walks, found }) => {
  list.walks = [...walks]
  const low = await find()
  if (found === undefined) expect(low).toBeUndefined()
  else expect(low?.problem).toMatch(found)
})

test('a list that is longer than a walk is read at the end', async () => {
  list.walks = [
    [9, 40],
    [5, 40],
  ]
  expect([await find(), list.offsets]).toEqual([undefined, [0, 35]])
})
