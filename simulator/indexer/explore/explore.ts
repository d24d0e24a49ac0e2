import type { IndexState } from '../index-state.ts'
import type { Valuation } from '../pools/valuation.ts'
import {
  type ExploreOrder,
  type ExploreQuery,
  type ExploreRow,
  type ExploreSort,
  INTERNAL_SPELLING,
  type MetricWindow,
  type Spelling,
} from '../views/market-views.ts'
import type { Page, Views } from '../views/views.ts'
import {
  createExploreSlots,
  createExploreWindow,
  type ExploreSlots,
  getRow,
  type RankedPool,
} from './explore-window.ts'
import { createRankOrder, type RankOrder } from './rank-order.ts'

export type Explore = Pick<Views, 'exploreOrder' | 'explorePools'> & {
  /** By age, at the last indexed block. */
  rankedPools(window: MetricWindow): readonly RankedPool[]
}

/**
 * Pools with their figures, in any order. Unchanged pools are kept (explore-window.ts); each order is sorted at most
 * once per block, on demand. Blocks are identified by hash, since after a reorganization another one has the height.
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
    known = {
      hash,
      block: { ...now, windows: new Map(), rows: new Map(), sorted: new Map(), orders: new Map() },
    }
    return known.block
  }
  const exploreOrder: Views['exploreOrder'] = (ordering) => orders.getOrder(blockNow(), ordering)

  return {
    rankedPools: (window) => orders.listPools(blockNow(), window),
    exploreOrder,
    explorePools({
      search,
      spelling = INTERNAL_SPELLING,
      limit,
      offset,
      ...ordering
    }: ExploreQuery): Page<ExploreRow> {
      const ordered = exploreOrder(ordering)
      const total = ordered.places.length
      if (!search) return { rows: sliceRows(ordered, offset, limit), total }
      const matching = sliceRows(ordered, 0, total).filter((row) =>
        matches(row, search.toLowerCase(), spelling),
      )
      return { rows: matching.slice(offset, offset + limit), total: matching.length }
    },
  }
}

function sliceRows({ rows, places }: ExploreOrder, offset: number, limit: number): ExploreRow[] {
  return Array.from(places.subarray(offset, offset + limit), (place) => rows[place] as ExploreRow) // as: one of its indices
}

/** By the start of a key only: keys of the chain have the same ending, which a set of choices may spell otherwise. */
function matches(
  { pool: { key, token0, token1 } }: ExploreRow,
  wanted: string,
  { poolKey, address: { encode } }: Spelling,
): boolean {
  const texts = [token0, token1].flatMap(({ symbol, name, address }) => [symbol, name, encode(address)])
  return (
    poolKey.encode(key).toLowerCase().startsWith(wanted) ||
    texts.some((text) => text.toLowerCase().includes(wanted))
  )
}

type ExploreBlock = {
  slots: ExploreSlots
  timeMs: number
  valuation: Valuation
  windows: Map<MetricWindow, readonly RankedPool[]>
  rows: Map<MetricWindow, readonly ExploreRow[]>
  sorted: Map<string, RankOrder>
  orders: Map<string, ExploreOrder>
}

type ExploreOrders = {
  listPools(block: ExploreBlock, window: MetricWindow): readonly RankedPool[]
  getOrder(block: ExploreBlock, query: Pick<ExploreQuery, 'window' | 'sort' | 'order'>): ExploreOrder
}

/** Orders of all windows, each sorted at most once per block, on demand. */
function createExploreOrders(): ExploreOrders {
  const rankPools = kept((window: MetricWindow) => createExploreWindow(window))
  const sorters = kept((name: string) => {
    const sort = name.split('/').at(-1) as ExploreSort // as: its last part
    return createRankOrder(({ ranks }: RankedPool) => ranks[sort])
  })

  const listPools = (block: ExploreBlock, window: MetricWindow): readonly RankedPool[] =>
    madeOnce(block.windows, window, () => [...rankPools(window)(block)])
  const sortedBy = (block: ExploreBlock, window: MetricWindow, sort: ExploreSort): RankOrder => {
    const name = OF_WINDOW[sort] ? `${window}/${sort}` : sort
    return madeOnce(block.sorted, name, () => sorters(name)(listPools(block, window)))
  }

  return {
    listPools,
    getOrder: (block, { window, sort, order }) =>
      madeOnce(block.orders, `${window}/${sort}/${order}`, () => {
        const { ascending, descending } = sortedBy(block, window, sort)
        const rows = madeOnce(block.rows, window, () => listPools(block, window).map(getRow))
        return { rows, places: order === 'asc' ? ascending : descending() }
      }),
  }
}

/** True if the order depends on the window. */
const OF_WINDOW: Record<ExploreSort, boolean> = {
  createdAt: false,
  tvlUsd: false,
  priceUsd: false,
  volumeUsd: true,
  priceChangePct: true,
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
