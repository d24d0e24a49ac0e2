import type { ExploreOrder, ExploreRow, ExploreSort } from '../../indexer/views/explore-views.ts'
import type { Views } from '../../indexer/views/views.ts'

type Explore = Pick<Views, 'exploreOrder' | 'explorePools'>

/** The same orders of pools, but with those first whose figure is not known, in place of last. */
export function withUnknownFirst(views: Explore): Explore {
  const turned = new WeakMap<ExploreOrder, ExploreOrder>()
  const exploreOrder: Views['exploreOrder'] = (query) => {
    const order = views.exploreOrder(query)
    const known = turned.get(order) ?? turn(order, query.sort)
    turned.set(order, known)
    return known
  }
  return {
    exploreOrder,
    explorePools(query) {
      const { sort, limit, offset } = query
      const { rows, total } = views.explorePools({ ...query, limit: Number.MAX_SAFE_INTEGER, offset: 0 })
      const turnedRows = [
        ...rows.filter((row) => isUnknown(row, sort)),
        ...rows.filter((row) => !isUnknown(row, sort)),
      ]
      return { rows: turnedRows.slice(offset, offset + limit), total }
    },
  }
}

function turn({ total, row }: ExploreOrder, sort: ExploreSort): ExploreOrder {
  // Those that are known come first: their end is found by halves.
  let [known, unknown] = [0, total]
  while (known < unknown) {
    const middle = (known + unknown) >> 1
    if (isUnknown(row(middle), sort)) unknown = middle
    else known = middle + 1
  }
  const first = total - known
  return { total, row: (place) => row(place < first ? known + place : place - first) }
}

function isUnknown(row: ExploreRow, sort: ExploreSort): boolean {
  return sort !== 'createdAt' && row[sort] === null
}
