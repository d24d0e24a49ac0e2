import { DOLLAR_DECIMALS, decimalText, PERCENT_DECIMALS, PRICE_DECIMALS, SCALE_DECIMALS } from './decimal.ts'
import { type IndexedPool, type IndexState, indexedPool, indexedToken } from './index-state.ts'
import { poolView } from './pool-view.ts'
import { percentMoved, priceText } from './price.ts'
import { dollars, type Valuation, valueTokens } from './valuation.ts'
import type { ExploreQuery, ExploreRow, ExploreSort, MetricWindow, Page, Views } from './views.ts'
import { windowFigures } from './window-figures.ts'

/**
 * A pool, by key as the pool itself may be another object after a revert, and what it is sorted by: integers of one
 * scale, null where the figure is not known.
 */
type Ranked = { key: string; sequence: number; ranks: Record<ExploreSort, bigint | null> }

type Cache = {
  hash: string
  valuation: Valuation
  tables: Map<MetricWindow, readonly Ranked[]>
  orders: Map<string, readonly Ranked[]>
}

/**
 * Pools with their figures; those are worked out once for each window and block, each order once. Blocks are told apart
 * by their hash: after a reorganisation another one has the height.
 */
export function createExplore(state: IndexState): Views['explorePools'] {
  let cache: Cache | undefined

  const ofHead = (): Cache => {
    const { hash } = state.head
    if (cache?.hash !== hash)
      cache = { hash, valuation: valueTokens(state), tables: new Map(), orders: new Map() }
    return cache
  }

  return (query: ExploreQuery): Page<ExploreRow> => {
    const { search, limit, offset } = query
    const ordered = orderedBy(state, ofHead(), query)
    const matching = search
      ? ordered.filter(({ key }) => matches(state, indexedPool(state, key), search))
      : ordered
    const rows = matching.slice(offset, offset + limit).map((ranked) => toRow(state, ranked))
    return { rows, total: matching.length }
  }
}

function orderedBy(state: IndexState, { valuation, tables, orders }: Cache, query: ExploreQuery) {
  const { window, sort, order } = query
  const name = `${window}/${sort}/${order}`
  const known = orders.get(name)
  if (known) return known
  const table =
    tables.get(window) ?? [...state.pools.values()].map((pool) => rank(pool, { state, valuation, window }))
  const ordered = [...table].sort(byRank(query))
  tables.set(window, table)
  orders.set(name, ordered)
  return ordered
}

function rank(
  pool: IndexedPool,
  { state, valuation, window }: { state: IndexState; valuation: Valuation; window: MetricWindow },
): Ranked {
  const { token0, token1, displayFlipped, amm } = pool
  const { volume0, volume1, priceBeforeX96 } = windowFigures(pool, window, state.head.timeMs)
  const [base, quote] = displayFlipped ? [token1, token0] : [token0, token1]
  const quoteUsd = valuation.get(quote.id)
  return {
    key: pool.key,
    sequence: pool.sequence,
    ranks: {
      createdAt: BigInt(pool.createdAtMs),
      tvlUsd: poolDollars(pool, valuation),
      volumeUsd: quoteUsd === undefined ? null : dollars(displayFlipped ? volume0 : volume1, quoteUsd, quote),
      priceUsd: valuation.get(base.id) ?? null,
      priceChangePct: priceBeforeX96 === null ? null : percentMoved(priceBeforeX96, amm.sqrtPriceX96),
    },
  }
}

function toRow(state: IndexState, { key, ranks }: Ranked): ExploreRow {
  const pool = indexedPool(state, key)
  const { amm, token0, token1, displayFlipped } = pool
  return {
    pool: poolView(state, pool),
    displayFlipped,
    price: amm.liquidity === 0n ? null : priceText(amm.sqrtPriceX96, token0, token1),
    priceChangePct: text(ranks.priceChangePct, PERCENT_DECIMALS, PERCENT_DECIMALS),
    priceUsd: text(ranks.priceUsd, SCALE_DECIMALS, PRICE_DECIMALS),
    tvlUsd: text(ranks.tvlUsd, SCALE_DECIMALS, DOLLAR_DECIMALS),
    volumeUsd: text(ranks.volumeUsd, SCALE_DECIMALS, DOLLAR_DECIMALS),
  }
}

/** What the pool holds, in dollars; null unless both its tokens have a price. */
function poolDollars(
  { token0, token1, balance0, balance1 }: IndexedPool,
  valuation: Valuation,
): bigint | null {
  const price0 = valuation.get(token0.id)
  const price1 = valuation.get(token1.id)
  if (price0 === undefined || price1 === undefined) return null
  return dollars(balance0, price0, token0) + dollars(balance1, price1, token1)
}

function text(value: bigint | null, decimals: number, shown: number): string | null {
  return value === null ? null : decimalText(value, decimals, shown)
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
