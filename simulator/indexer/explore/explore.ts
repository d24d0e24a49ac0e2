import type { IndexState } from '../index-state.ts'
import type { Valuation } from '../pools/valuation.ts'
import type { ExploreOrder, ExploreQuery, ExploreRow, MetricWindow } from '../views/explore-views.ts'
import type { Page, Views } from '../views/views.ts'
import { createExploreOrders, type ExploreBlock } from './explore-order.ts'
import { createExploreSlots } from './explore-slots.ts'
import type { RankedPool } from './explore-window.ts'

export type Explore = Pick<Views, 'exploreOrder' | 'explorePools'> & {
  /** By age, as of the last indexed block. */
  rankedPools(window: MetricWindow): readonly RankedPool[]
}

/**
 * Pools with their figures, in any order. What a block did not change is kept (explore-slots.ts, explore-window.ts); each
 * order is sorted once a block, when somebody asks for it. Blocks are told apart by their hash: after a reorganisation
 * another one has the height.
 */
export function createExplore(
  state: IndexState,
  options: { valuation: () => Valuation; undone: () => number },
): Explore {
  const slotsNow = createExploreSlots(state, options)
  const orders = createExploreOrders()
  let known: { hash: string; block: ExploreBlock } | undefined

  const blockNow = (): ExploreBlock => {
    const { hash, timeMs } = state.head
    if (known?.hash === hash) return known.block
    const now = { slots: slotsNow(), timeMs, valuation: options.valuation() }
    known = { hash, block: { ...now, windows: new Map(), sorted: new Map(), orders: new Map() } }
    return known.block
  }
  const exploreOrder: Views['exploreOrder'] = (ordering) => orders.orderOf(blockNow(), ordering)

  return {
    rankedPools: (window) => orders.poolsOf(blockNow(), window),
    exploreOrder,
    explorePools({ search, limit, offset, ...ordering }: ExploreQuery): Page<ExploreRow> {
      const ordered = exploreOrder(ordering)
      if (!search) return { rows: rowsOf(ordered, offset, limit), total: ordered.total }
      const matching = rowsOf(ordered, 0, ordered.total).filter((row) => matches(row, search.toLowerCase()))
      return { rows: matching.slice(offset, offset + limit), total: matching.length }
    },
  }
}

function rowsOf({ total, row }: ExploreOrder, offset: number, limit: number): ExploreRow[] {
  const rows: ExploreRow[] = []
  for (let place = offset; place < Math.min(offset + limit, total); place++) rows.push(row(place))
  return rows
}

function matches({ pool: { key, token0, token1 } }: ExploreRow, wanted: string): boolean {
  return [key, token0.symbol, token0.name, token0.address, token1.symbol, token1.name, token1.address].some(
    (text) => text.toLowerCase().includes(wanted),
  )
}
