import type { TradeView } from './views.ts'

/** At the least so many of a pool's trades are kept; the oldest go once there are twice as many, so that it costs little. */
const TRADES_KEPT = 1000

export function logTrade(trades: TradeView[], trade: TradeView): void {
  trades.push(trade)
  if (trades.length >= 2 * TRADES_KEPT) trades.splice(0, trades.length - TRADES_KEPT)
}
