import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { distinct, listPools, readSwapEnds, watchSwaps } from './swap-watch.ts'

const list = vi.hoisted(() => ({ ids: [] as string[], requested: [] as number[] }))

vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../requests/request.ts', () => ({
  request: async (_target: unknown, { query }: { query: { limit: string; offset: string } }) => {
    const offset = Number(query.offset)
    list.requested.push(offset)
    const data = list.ids.slice(offset, offset + Number(query.limit)).map((id) => ({ id }))
    return { status: 200, json: { data, pagination: { total: list.ids.length } } }
  },
}))

const TARGET = {} as Target // as: unused
const CREDENTIAL = { bearer: 'ss_token' }
const named = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

beforeEach(() => Object.assign(list, { ids: named(250, 'old'), requested: [] }))

test('reads both ends of a long list, each row once', async () => {
  list.ids = named(150, 'old')
  const rows = await readSwapEnds(TARGET, CREDENTIAL)
  expect(list.requested).toEqual([0, 50])
  expect(rows.map(({ id }) => id)).toEqual([...named(100, 'old'), ...named(150, 'old').slice(100)])
})

test('a list of one page is read once', async () => {
  list.ids = named(7, 'old')
  expect(await readSwapEnds(TARGET, CREDENTIAL)).toHaveLength(7)
  expect(list.requested).toEqual([0])
})

test.each([
  ['newest first', (fresh: string[]) => [...fresh, ...list.ids]],
  ['oldest first', (fresh: string[]) => [...list.ids, ...fresh]],
])('returns only new swaps: %s', async (_, add) => {
  const watch = await watchSwaps(TARGET, CREDENTIAL)
  list.ids = add(['new1', 'new2'])
  await watch.check()
  expect(
    watch
      .fresh()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['new1', 'new2'])
})

test('rows without an id are omitted', () => {
  expect(distinct([{ id: 'a' }, {}, { id: 'a', more: 1 }, { id: null }])).toEqual([{ id: 'a' }])
})

test.each([
  [{ hops: [{ pool: 'k1' }, { pool: 'k2' }] }, ['k1', 'k2']],
  [{ hops: [{ pool: null }, 'k3'] }, []],
  [{}, []],
])('the pools of %j are %j', (swap, pools) => {
  expect(listPools(swap)).toEqual(pools)
})
