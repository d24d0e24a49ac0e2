import { expect, test } from 'vitest'
import type { ExploreQuery, ExploreRow } from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { createExplorePages, withUnknownFirst } from './explore-records.ts'

const ordering: Pick<ExploreQuery, 'window' | 'sort' | 'order'> = {
  window: '1h',
  sort: 'tvlUsd',
  order: 'asc',
}

/** Rows with their text as name: of all lengths, some multi-byte. */
function buildRows(count: number, tag = ''): ExploreRow[] {
  return Array.from(
    { length: count },
    (_, place) => ({ price: `${tag}${'é🙂x'.repeat(place % 5)}${place}` }) as ExploreRow,
  )
}

function pagesOver(rows: { now: readonly ExploreRow[] }) {
  let orders = new Map<readonly ExploreRow[], ReturnType<Views['exploreOrder']>>()
  const exploreOrder: Views['exploreOrder'] = () => {
    const { now } = rows
    const order = orders.get(now) ?? { total: now.length, row: (place) => now[place] as ExploreRow }
    orders = new Map([[now, order]])
    return order
  }
  const rendered: string[] = []
  const render = (row: ExploreRow): string => {
    rendered.push(String(row.price))
    return JSON.stringify(row.price)
  }
  const renderPage = createExplorePages({ views: { exploreOrder }, render })
  const read = (limit: number, offset: number): unknown => {
    const { pieces } = renderPage({ ...ordering, limit, offset })
    return JSON.parse(`[${Buffer.concat(pieces).toString()}]`)
  }
  return { read, rendered }
}

test.each([0, 1, 99, 100, 101, 250])('any page of %d rows is correct', (count) => {
  const rows = buildRows(count)
  const { read } = pagesOver({ now: rows })
  for (const limit of [1, 2, 99, 100]) {
    for (let offset = 0; offset <= count + 1; offset += 7) {
      expect(read(limit, offset)).toEqual(rows.slice(offset, offset + limit).map(({ price }) => price))
    }
  }
})

test('another block’s rows replace the previous ones, longer or shorter; only changed ones are rendered', () => {
  const first = buildRows(230)
  const longer = [...buildRows(120, 'much longer than before '), ...first.slice(120)]
  const fewer = longer.slice(0, 40)
  const rows = { now: first }
  const { read, rendered } = pagesOver(rows)
  const expectAll = () => {
    for (let offset = 0; offset < 230; offset += 100) {
      expect(read(100, offset)).toEqual(rows.now.slice(offset, offset + 100).map(({ price }) => price))
    }
  }
  expectAll()
  expect(rendered).toHaveLength(230)
  rows.now = longer
  expectAll()
  expect(rendered).toHaveLength(350)
  rows.now = fewer
  expectAll()
  expect(rendered).toHaveLength(350)
})

const QUERY = { window: '1d', sort: 'tvlUsd', order: 'asc' } as const

function buildViews(figures: readonly (string | null)[]) {
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
  const views = buildViews(given)
  const order = views.exploreOrder(QUERY)
  expect(Array.from({ length: order.total }, (_, place) => order.row(place).tvlUsd)).toEqual(expected)
  const found = views.explorePools({ ...QUERY, limit: 2, offset: 1 })
  expect(found.rows.map(({ tvlUsd }) => tvlUsd)).toEqual(expected.slice(1, 3))
  expect(found.total).toBe(given.length)
})

test('an order is the same object while its source is', () => {
  const views = buildViews(['1', null])
  expect(views.exploreOrder(QUERY)).toBe(views.exploreOrder(QUERY))
})
