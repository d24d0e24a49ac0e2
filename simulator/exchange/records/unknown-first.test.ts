import { expect, test } from 'vitest'
import type { ExploreRow } from '../../indexer/views/explore-views.ts'
import { withUnknownFirst } from './unknown-first.ts'

const QUERY = { window: '1d', sort: 'tvlUsd', order: 'asc' } as const

function viewsOf(figures: readonly (string | null)[]) {
  const rows = figures.map((tvlUsd) => ({ tvlUsd }) as ExploreRow)
  const order = { total: rows.length, row: (place: number) => rows[place] as ExploreRow }
  return withUnknownFirst({
    exploreOrder: () => order,
    explorePools: ({ limit, offset }) => ({ rows: rows.slice(offset, offset + limit), total: rows.length }),
  })
}

test.each([
  [[], []],
  [['1'], ['1']],
  [[null], [null]],
  [
    ['1', '2', null, null],
    [null, null, '1', '2'],
  ],
  [
    ['1', '2', '3'],
    ['1', '2', '3'],
  ],
  [
    [null, null],
    [null, null],
  ],
  [
    ['1', null],
    [null, '1'],
  ],
])('%j becomes %j', (given, expected) => {
  const views = viewsOf(given)
  const order = views.exploreOrder(QUERY)
  expect(Array.from({ length: order.total }, (_, place) => order.row(place).tvlUsd)).toEqual(expected)
  const found = views.explorePools({ ...QUERY, limit: 2, offset: 1 })
  expect(found.rows.map(({ tvlUsd }) => tvlUsd)).toEqual(expected.slice(1, 3))
  expect(found.total).toBe(given.length)
})

test('an order stays one and the same while the one below it does', () => {
  const views = viewsOf(['1', null])
  expect(views.exploreOrder(QUERY)).toBe(views.exploreOrder(QUERY))
})
