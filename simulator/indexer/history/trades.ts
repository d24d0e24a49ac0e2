import { type IndexedPool, type IndexState, indexedPool } from '../index-state.ts'
import { priceText } from '../price.ts'
import type { TradeView } from '../views/trade-views.ts'
import type { Page } from '../views/views.ts'
import { appendItem, countAppended, HISTORY_LIMITS, itemNumbered } from './history-log.ts'

/** A kept trade; its texts for readers are computed on demand. */
export type TradeRecord = {
  pool: string
  kind: 'swap' | 'mint' | 'burn'
  block: number
  receiptIndex: number
  hopIndex: number
  transaction: string
  /** Trader or owner of the position; null if private. */
  user: string | null
  atMs: number
  amount0: bigint
  amount1: bigint
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
}

export function logTrade(state: IndexState, pool: IndexedPool, trade: TradeRecord): void {
  appendItem(state.journal, pool.trades, trade, HISTORY_LIMITS.tradesPerPool)
  appendItem(state.journal, state.trades, trade, HISTORY_LIMITS.trades)
}

/** Trades of a pool (default: of all), newest first. */
export function pageTrades(
  state: IndexState,
  { pool: key, limit, offset }: { pool?: string; limit: number; offset: number },
): Page<TradeView> {
  const log = key === undefined ? state.trades : state.pools.get(key)?.trades
  if (!log) return { rows: [], total: 0 }
  const end = countAppended(log)
  const kept = key === undefined ? HISTORY_LIMITS.trades : HISTORY_LIMITS.tradesPerPool
  const total = Math.min(end - log.dropped, kept)
  const rows: TradeView[] = []
  for (let number = end - 1 - offset; number >= end - total && rows.length < limit; number--) {
    const trade = itemNumbered(log, number)
    if (trade) rows.push(tradeView(indexedPool(state, trade.pool), trade))
  }
  return { rows, total }
}

/** A trade as readers see it, its price as exact decimal text. */
export function tradeView({ token0, token1 }: IndexedPool, trade: TradeRecord): TradeView {
  return {
    id: `${trade.block}-${trade.receiptIndex}-${trade.hopIndex}`,
    pool: trade.pool,
    kind: trade.kind,
    amount0: trade.amount0,
    amount1: trade.amount1,
    sqrtPriceX96: trade.sqrtPriceX96,
    tick: trade.tick,
    liquidity: trade.liquidity,
    price: priceText(trade.sqrtPriceX96, token0, token1),
    transaction: trade.transaction,
    user: trade.user,
    block: trade.block,
    atMs: trade.atMs,
  }
}
