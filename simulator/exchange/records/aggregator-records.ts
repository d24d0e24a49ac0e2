import type { Wire } from '../../choices/wire.ts'
import { INTERVAL_MS } from '../../indexer/candle-interval.ts'
import { compareDecimals, decimalText } from '../../indexer/decimal.ts'
import { type BookLevel, bestPrices } from '../../indexer/pools/order-book.ts'
import { ratioText } from '../../indexer/price.ts'
import type { PoolView } from '../../indexer/views/market-views.ts'
import type { TradeView } from '../../indexer/views/trade-views.ts'
import type { Views } from '../../indexer/views/views.ts'

type Ids = Pick<Wire, 'poolKey' | 'tokenId'>

/** A pool as a market: token0 is what is traded, token1 what it is priced in. */
export function pairRecord(pool: PoolView, { poolKey, tokenId }: Ids) {
  const key = poolKey.encode(pool.key)
  return {
    ticker_id: key,
    base: tokenId.encode(pool.token0.id),
    target: tokenId.encode(pool.token1.id),
    pool_id: key,
  }
}

/** A market with its last price and the volumes of a day; null for what is not known. */
export function tickerRecord(pool: PoolView, { views, wire }: { views: Views; wire: Ids }) {
  const { ticker_id, base, target, pool_id } = pairRecord(pool, wire)
  const stats = views.poolStats(pool.key)
  const day = stats?.windows['1d']
  return {
    ticker_id,
    base_currency: base,
    target_currency: target,
    pool_id,
    last_price: stats?.price ?? null,
    base_volume: wholeTokens(day?.volume0 ?? 0n, pool.token0),
    target_volume: wholeTokens(day?.volume1 ?? 0n, pool.token1),
    liquidity_in_usd: stats?.tvlUsd ?? null,
    ...bestPrices(pool),
    ...highAndLow(pool.key, views, day?.startMs ?? 0),
  }
}

const CANDLES_A_DAY = (24 * 60 * 60_000) / INTERVAL_MS['15m']

function highAndLow(pool: string, views: Views, fromMs: number): { high: string | null; low: string | null } {
  const candles = views.candles({ pool, interval: '15m', limit: CANDLES_A_DAY, offset: 0, fromMs }).rows
  const highs = candles.map(({ high }) => high).sort(compareDecimals)
  const lows = candles.map(({ low }) => low).sort(compareDecimals)
  return { high: highs.at(-1) ?? null, low: lows[0] ?? null }
}

/** A level of an order book: price, and amount in whole tokens. */
export function bookLevel({ price, amount0 }: BookLevel, { token0 }: PoolView): [string, string] {
  return [price, wholeTokens(amount0, token0)]
}

/** Who buys takes the base token, token0, from the pool. */
export function historicalTrade(trade: TradeView, { token0, token1 }: PoolView) {
  const [amount0, amount1] = [magnitude(trade.amount0), magnitude(trade.amount1)]
  return {
    trade_id: trade.id,
    price: ratioText({ numerator: amount1, denominator: amount0 }, token0, token1),
    base_volume: wholeTokens(amount0, token0),
    target_volume: wholeTokens(amount1, token1),
    trade_timestamp: trade.atMs,
    type: trade.amount0 < 0n ? ('buy' as const) : ('sell' as const),
  }
}

function wholeTokens(amount: bigint, { decimals }: { decimals: number }): string {
  return decimalText(amount, decimals, decimals)
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
