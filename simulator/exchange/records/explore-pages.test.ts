import { expect, test } from 'vitest'
import type { ExploreQuery, ExploreRow } from '../../indexer/views/explore-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { createExplorePages } from './explore-pages.ts'

const ordering: Pick<ExploreQuery, 'window' | 'sort' | 'order'> = {
  window: '1h',
  sort: 'tvlUsd',
  order: 'asc',
}

/** Rows named by their text: multi-byte ones among them, and of all lengths. */
function rowsOf(count: number, tag = ''): ExploreRow[] {
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
  const pageOf = createExplorePages({ views: { exploreOrder }, render })
  const read = (limit: number, offset: number): unknown => {
    const { pieces } = pageOf({ ...ordering, limit, offset })
    return JSON.parse(`[${Buffer.concat(pieces).toString()}]`)
  }
  return { read, rendered }
}

test.each([0, 1, 99, 100, 101, 250])('any page of %d rows is theirs', (count) => {
  const rows = rowsOf(count)
  const { read } = pagesOver({ now: rows })
  for (const limit of [1, 2, 99, 100]) {
    for (let offset = 0; offset <= count + 1; offset += 7) {
      expect(read(limit, offset)).toEqual(rows.slice(offset, offset + limit).map(({ price }) => price))
    }
  }
})

test('another block’s rows take the place of those before, longer or shorter; only what is new is rendered', () => {
  const first = rowsOf(230)
  const longer = [...rowsOf(120, 'much longer than before '), ...first.slice(120)]
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
