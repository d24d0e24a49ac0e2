import { DOLLAR_DECIMALS, decimalText, PERCENT_DECIMALS, PRICE_DECIMALS, SCALE_DECIMALS } from './decimal.ts'
import type { IndexedPool, IndexState } from './index-state.ts'
import { windowFigures } from './pool-history.ts'
import { percentMoved, priceText } from './price.ts'
import { dollars, type Valuation, valueTokens } from './valuation.ts'
import type { ExploreQuery, ExploreRow, ExploreSort, MetricWindow, Page, PoolView, Views } from './views.ts'

const HOUR_MS = 3_600_000

/** Windows end at the last indexed block. A month is thirty days. */
const WINDOW_MS: Record<MetricWindow, number> = {
  '1h': HOUR_MS,
  '1d': 24 * HOUR_MS,
  '1w': 7 * 24 * HOUR_MS,
  '1m': 30 * 24 * HOUR_MS,
}

/** A row and what it is sorted by: integers of one scale, null where the figure is not known. */
type Ranked = { row: ExploreRow; sequence: number; ranks: Record<ExploreSort, bigint | null> }

/** Pools with their figures; the figures are worked out once for each window and block, each order once. */
export function createExplore(state: IndexState): Views['explorePools'] {
  let hash = ''
  let orders = new Map<string, readonly Ranked[]>()
  let tables = new Map<MetricWindow, readonly Ranked[]>()

  const table = (window: MetricWindow): readonly Ranked[] => {
    const known = tables.get(window)
    if (known) return known
    const ranked = rankPools(state, window)
    tables.set(window, ranked)
    return ranked
  }

  return (query: ExploreQuery): Page<ExploreRow> => {
    if (hash !== state.head.hash) {
      hash = state.head.hash
      orders = new Map()
      tables = new Map()
    }
    const name = `${query.window}/${query.sort}/${query.order}`
    const ordered = orders.get(name) ?? [...table(query.window)].sort(byRank(query))
    orders.set(name, ordered)
    const matching = query.search
      ? ordered.filter(({ row }) => matches(row.pool, query.search ?? ''))
      : ordered
    const rows = matching.slice(query.offset, query.offset + query.limit).map(({ row }) => row)
    return { rows, total: matching.length }
  }
}

function rankPools(state: IndexState, window: MetricWindow): readonly Ranked[] {
  const valuation = valueTokens(state)
  const sinceMs = state.head.timeMs - WINDOW_MS[window]
  return [...state.pools.values()].map((pool) => rankPool(pool, valuation, sinceMs))
}

function rankPool(
  { view, displayFlipped, history, sequence }: IndexedPool,
  valuation: Valuation,
  sinceMs: number,
): Ranked {
  const { token0, token1, sqrtPriceX96 } = view
  const window = windowFigures(history, sinceMs)
  const [base, quote] = displayFlipped ? [token1, token0] : [token0, token1]
  const quoteVolume = displayFlipped ? window.volume0 : window.volume1
  const quoteUsd = valuation.get(quote.id)
  const priceUsd = valuation.get(base.id) ?? null
  const tvlUsd = poolDollars(view, valuation)
  const volumeUsd = quoteUsd === undefined ? null : dollars(quoteVolume, quoteUsd, quote)
  const changePct = window.priceBeforeX96 === null ? null : percentMoved(window.priceBeforeX96, sqrtPriceX96)
  return {
    sequence,
    ranks: { createdAt: BigInt(view.createdAtMs), tvlUsd, volumeUsd, priceUsd, priceChangePct: changePct },
    row: {
      pool: view,
      displayFlipped,
      price: view.liquidity === 0n ? null : priceText(sqrtPriceX96, token0, token1),
      priceChangePct: changePct === null ? null : decimalText(changePct, PERCENT_DECIMALS, PERCENT_DECIMALS),
      priceUsd: scaledText(priceUsd, PRICE_DECIMALS),
      tvlUsd: scaledText(tvlUsd, DOLLAR_DECIMALS),
      volumeUsd: scaledText(volumeUsd, DOLLAR_DECIMALS),
    },
  }
}

/** What the pool holds, in dollars; null unless both its tokens have a price. */
function poolDollars({ token0, token1, balance0, balance1 }: PoolView, valuation: Valuation): bigint | null {
  const price0 = valuation.get(token0.id)
  const price1 = valuation.get(token1.id)
  if (price0 === undefined || price1 === undefined) return null
  return dollars(balance0, price0, token0) + dollars(balance1, price1, token1)
}

function scaledText(value: bigint | null, shown: number): string | null {
  return value === null ? null : decimalText(value, SCALE_DECIMALS, shown)
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

function matches({ key, token0, token1 }: PoolView, search: string): boolean {
  const wanted = search.toLowerCase()
  return [key, token0.symbol, token0.name, token0.address, token1.symbol, token1.name, token1.address].some(
    (text) => text.toLowerCase().includes(wanted),
  )
}
