import { type IndexedPool, type IndexState, indexedPool, indexedToken } from './index-state.ts'
import {
  basePrice,
  dollarPriceText,
  dollarText,
  percentText,
  poolDollars,
  poolFigures,
  poolPriceText,
} from './pool-figures.ts'
import { poolView } from './pool-view.ts'
import type { Valuation } from './valuation.ts'
import type { ExploreQuery, ExploreRow, ExploreSort, MetricWindow, Page, Views } from './views.ts'

/**
 * A pool, by key as the pool itself may be another object after a revert, and what it is sorted by: integers of one
 * scale, null where the figure is not known.
 */
type Ranked = { key: string; sequence: number; ranks: Record<ExploreSort, bigint | null> }

type Orders = {
  hash: string
  tables: Map<MetricWindow, readonly Ranked[]>
  byName: Map<string, readonly Ranked[]>
}

/**
 * Pools with their figures; those are worked out once for each window and block, each order once. Blocks are told apart
 * by their hash: after a reorganisation another one has the height.
 */
export function createExplore(state: IndexState, valuation: () => Valuation): Views['explorePools'] {
  let orders: Orders = { hash: '', tables: new Map(), byName: new Map() }

  const table = (window: MetricWindow): readonly Ranked[] => {
    const known = orders.tables.get(window)
    if (known) return known
    const figuresOf = { window, valuation: valuation(), nowMs: state.head.timeMs }
    const ranked = [...state.pools.values()].map((pool) => rank(pool, figuresOf))
    orders.tables.set(window, ranked)
    return ranked
  }
  const orderedBy = (query: ExploreQuery): readonly Ranked[] => {
    const name = `${query.window}/${query.sort}/${query.order}`
    const known = orders.byName.get(name)
    if (known) return known
    const ordered = [...table(query.window)].sort(byRank(query))
    orders.byName.set(name, ordered)
    return ordered
  }

  return (query: ExploreQuery): Page<ExploreRow> => {
    const { search, limit, offset } = query
    const { hash } = state.head
    if (orders.hash !== hash) orders = { hash, tables: new Map(), byName: new Map() }
    const ordered = orderedBy(query)
    const matching = search
      ? ordered.filter(({ key }) => matches(state, indexedPool(state, key), search))
      : ordered
    const rows = matching.slice(offset, offset + limit).map((ranked) => toRow(state, ranked))
    return { rows, total: matching.length }
  }
}

function rank(
  pool: IndexedPool,
  figuresOf: { window: MetricWindow; valuation: Valuation; nowMs: number },
): Ranked {
  const { volumeUsd, priceChangePct } = poolFigures(pool, figuresOf)
  const { valuation } = figuresOf
  return {
    key: pool.key,
    sequence: pool.sequence,
    ranks: {
      createdAt: BigInt(pool.createdAtMs),
      tvlUsd: poolDollars(pool, valuation),
      volumeUsd,
      priceUsd: basePrice(pool, valuation),
      priceChangePct,
    },
  }
}

function toRow(state: IndexState, { key, ranks }: Ranked): ExploreRow {
  const pool = indexedPool(state, key)
  return {
    pool: poolView(state, pool),
    displayFlipped: pool.displayFlipped,
    price: poolPriceText(pool),
    priceChangePct: percentText(ranks.priceChangePct),
    priceUsd: dollarPriceText(ranks.priceUsd),
    tvlUsd: dollarText(ranks.tvlUsd),
    volumeUsd: dollarText(ranks.volumeUsd),
  }
}

/** A total order: what is not known comes last either way, the older pool first where two are equal. */
function byRank({ sort, order }: ExploreQuery): (a: Ranked, b: Ranked) => number {
  const sign = order === 'asc' ? 1 : -1
  return (a, b) => {
    const rankA = a.ranks[sort]
    const rankB = b.ranks[sort]
    if (rankA === rankB) return a.sequence - b.sequence
    if (rankA === null) return 1
    if (rankB === null) return -1
    return rankA < rankB ? -sign : sign
  }
}

function matches(state: IndexState, { key, token0, token1 }: IndexedPool, search: string): boolean {
  const wanted = search.toLowerCase()
  const [first, second] = [indexedToken(state, token0.id), indexedToken(state, token1.id)]
  return [key, first.symbol, first.name, first.address, second.symbol, second.name, second.address].some(
    (text) => text.toLowerCase().includes(wanted),
  )
}
