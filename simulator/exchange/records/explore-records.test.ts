import { expect, test } from 'vitest'
import type { ExploreRow } from '../../indexer/views/market-views.ts'
import { withUnknownFirst } from './explore-records.ts'

const QUERY = { window: '1d', sort: 'tvlUsd', order: 'asc' } as const

function buildViews(figures: readonly (string | null)[]) {
  const rows = figures.map((tvlUsd) => ({ tvlUsd }) as ExploreRow)
  const order = { rows, places: Int32Array.from(rows.keys()) }
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
  const views = buildViews(given)
  const order = views.exploreOrder(QUERY)
  expect(Array.from(order.places, (place) => order.rows[place]?.tvlUsd)).toEqual(expected)
  const found = views.explorePools({ ...QUERY, limit: 2, offset: 1 })
  expect(found.rows.map(({ tvlUsd }) => tvlUsd)).toEqual(expected.slice(1, 3))
  expect(found.total).toBe(given.length)
})

test('an order is the same object while its source is', () => {
  const views = buildViews(['1', null])
  expect(views.exploreOrder(QUERY)).toBe(views.exploreOrder(QUERY))
})
