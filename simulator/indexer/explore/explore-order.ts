import type { Valuation } from '../pools/valuation.ts'
import type { ExploreOrder, ExploreQuery, ExploreSort, MetricWindow } from '../views/explore-views.ts'
import type { ExploreSlots } from './explore-slots.ts'
import { createExploreWindow, type RankedPool, rowOf } from './explore-window.ts'
import { createRankOrder, type RankOrder } from './rank-order.ts'

/** What the orders of one block are made from, and those made so far. */
export type ExploreBlock = {
  slots: ExploreSlots
  timeMs: number
  valuation: Valuation
  windows: Map<MetricWindow, readonly RankedPool[]>
  sorted: Map<string, RankOrder>
  orders: Map<string, ExploreOrder>
}

export type ExploreOrders = {
  /** By age, with their figures. */
  poolsOf(block: ExploreBlock, window: MetricWindow): readonly RankedPool[]
  orderOf(block: ExploreBlock, query: Pick<ExploreQuery, 'window' | 'sort' | 'order'>): ExploreOrder
}

/** Orders of all windows. Each is sorted once a block at most, when somebody asks for it. */
export function createExploreOrders(): ExploreOrders {
  const rankPools = kept((window: MetricWindow) => createExploreWindow(window))
  const sorters = kept((_name: string) => createRankOrder())

  const poolsOf = (block: ExploreBlock, window: MetricWindow): readonly RankedPool[] =>
    madeOnce(block.windows, window, () => [...rankPools(window)(block)])
  const sortedBy = (block: ExploreBlock, window: MetricWindow, sort: ExploreSort): RankOrder => {
    const name = OF_WINDOW[sort] ? `${window}/${sort}` : sort
    return madeOnce(block.sorted, name, () =>
      sorters(name)(poolsOf(block, window).map(({ ranks }) => ranks[sort])),
    )
  }

  return {
    poolsOf,
    orderOf: (block, { window, sort, order }) =>
      madeOnce(block.orders, `${window}/${sort}/${order}`, () => {
        const { ascending, descending } = sortedBy(block, window, sort)
        return exploreOrder(poolsOf(block, window), order === 'asc' ? ascending : descending())
      }),
  }
}

/** Whether pools are sorted otherwise in another window. */
const OF_WINDOW: Record<ExploreSort, boolean> = {
  createdAt: false,
  tvlUsd: false,
  priceUsd: false,
  volumeUsd: true,
  priceChangePct: true,
}

function exploreOrder(pools: readonly RankedPool[], places: Int32Array): ExploreOrder {
  return {
    total: places.length,
    row: (place) => rowOf(pools[places[place] as number] as RankedPool), // as: the caller keeps within the total
  }
}

function kept<Name, Value>(make: (name: Name) => Value): (name: Name) => Value {
  const known = new Map<Name, Value>()
  return (name) => madeOnce(known, name, () => make(name))
}

function madeOnce<Name, Value>(known: Map<Name, Value>, name: Name, make: () => Value): Value {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}
