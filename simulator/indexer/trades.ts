import type { Journal } from '../journal.ts'
import { HISTORY_LIMITS } from './history-limits.ts'
import { appendItem, countAppended, itemNumbered } from './history-log.ts'
import type { IndexedPool } from './index-state.ts'
import { priceText } from './price.ts'
import type { Page, TradeView } from './views.ts'

/** A trade as it is kept; what readers get as text is worked out when they ask. */
export type TradeRecord = {
  kind: 'swap' | 'mint' | 'burn'
  block: number
  receiptIndex: number
  hopIndex: number
  transaction: string
  /** Who swapped or whose position it is; null where that is private. */
  user: string | null
  atMs: number
  amount0: bigint
  amount1: bigint
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
}

export function logTrade(journal: Journal, pool: IndexedPool, trade: TradeRecord): void {
  appendItem(journal, pool.trades, trade, HISTORY_LIMITS.tradesPerPool)
}

/** Newest first. */
export function pageOfTrades(
  pool: IndexedPool | undefined,
  { limit, offset }: { limit: number; offset: number },
): Page<TradeView> {
  if (!pool) return { rows: [], total: 0 }
  const end = countAppended(pool.trades)
  const total = Math.min(end - pool.trades.dropped, HISTORY_LIMITS.tradesPerPool)
  const rows: TradeView[] = []
  for (let number = end - 1 - offset; number >= end - total && rows.length < limit; number--) {
    const trade = itemNumbered(pool.trades, number)
    if (trade) rows.push(tradeView(pool, trade))
  }
  return { rows, total }
}

export function tradeView({ key, token0, token1 }: IndexedPool, trade: TradeRecord): TradeView {
  return {
    id: `${trade.block}-${trade.receiptIndex}-${trade.hopIndex}`,
    pool: key,
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
