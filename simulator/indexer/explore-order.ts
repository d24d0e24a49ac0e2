import type { ExploreSlots } from './explore-slots.ts'
import { createExploreWindow, type RankedPool, rowOf } from './explore-window.ts'
import { createRankOrder, type RankOrder } from './rank-order.ts'
import type { Valuation } from './valuation.ts'
import type { ExploreOrder, ExploreSort, MetricWindow } from './views.ts'

/** What the orders of one block are made from. */
export type ExploreBlock = { slots: ExploreSlots; timeMs: number; valuation: Valuation }

/** Orders of one window's pools. Each is sorted once a block at most, when somebody asks for it. */
export type ExploreOrders = (
  block: ExploreBlock,
  query: { sort: ExploreSort; order: 'asc' | 'desc' },
) => ExploreOrder

/** What is known last either way, the older pool first where two are equal: createRankOrder. */
export function createExploreOrders(window: MetricWindow): ExploreOrders {
  const rank = createExploreWindow(window)
  const sorters = new Map<ExploreSort, ReturnType<typeof createRankOrder>>()
  let of: ExploreBlock | undefined
  let pools: readonly RankedPool[] = []
  let sorted = new Map<ExploreSort, RankOrder>()
  let orders = new Map<string, ExploreOrder>()

  const turnTo = (block: ExploreBlock): void => {
    of = block
    pools = [...rank(block)]
    sorted = new Map()
    orders = new Map()
  }
  const sortedBy = (sort: ExploreSort): RankOrder => {
    const sorter = sorters.get(sort) ?? createRankOrder()
    sorters.set(sort, sorter)
    const made = sorted.get(sort) ?? sorter(pools.map(({ ranks }) => ranks[sort]))
    sorted.set(sort, made)
    return made
  }

  return (block, { sort, order }) => {
    if (of !== block) turnTo(block)
    const name = `${sort}/${order}`
    const known = orders.get(name)
    if (known) return known
    const { ascending, descending } = sortedBy(sort)
    const ordered = orderOf(pools, order === 'asc' ? ascending : descending())
    orders.set(name, ordered)
    return ordered
  }
}

function orderOf(pools: readonly RankedPool[], places: Int32Array): ExploreOrder {
  return {
    total: places.length,
    row: (place) => rowOf(pools[places[place] as number] as RankedPool), // as: the caller keeps within the total
  }
}
