/** Records of pool reads in wire format (contract/schemas/market.ts); names are those of the feed's events. */
import type { z } from 'zod'
import type {
  candlesPageSchema,
  liquidityPageSchema,
  oracleBodySchema,
  poolStatsPageSchema,
  tradeSchema,
} from '../../../contract/schemas/market.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Wire } from '../../choices/wire.ts'
import { INTERVAL_MS } from '../../indexer/candle-interval.ts'
import { type BookLevel, bestPrices } from '../../indexer/pools/order-book.ts'
import { compareDecimals, decimalText, ratioText } from '../../indexer/price.ts'
import type {
  LiquidityRangeView,
  OracleView,
  PoolStatsView,
  PoolView,
  WindowStatsView,
} from '../../indexer/views/market-views.ts'
import type { CandleView, TradeView } from '../../indexer/views/trade-views.ts'
import type { Views } from '../../indexer/views/views.ts'

type Row<Page extends z.ZodType<{ data: readonly unknown[] }>> = z.infer<Page>['data'][number]

export function poolStatsRecord(stats: PoolStatsView, choices: Choices): Row<typeof poolStatsPageSchema> {
  const { pool, windows } = stats
  const { poolKey, tokenId } = choices.wire
  return {
    key: poolKey.encode(pool.key),
    token0: tokenId.encode(pool.token0.id),
    token1: tokenId.encode(pool.token1.id),
    enabled: pool.enabled,
    price: stats.price,
    price_usd: stats.priceUsd,
    tvl_usd: stats.tvlUsd,
    sqrt_price_x96: String(pool.sqrtPriceX96),
    tick: pool.tick,
    liquidity: String(pool.liquidity),
    balance0: String(pool.balance0),
    balance1: String(pool.balance1),
    windows: {
      '1h': windowRecord(windows['1h'], choices),
      '1d': windowRecord(windows['1d'], choices),
      '1w': windowRecord(windows['1w'], choices),
      '1m': windowRecord(windows['1m'], choices),
    },
  }
}

function windowRecord(window: WindowStatsView, { wire }: Choices) {
  return {
    start: wire.timestamp(window.startMs),
    volume0: String(window.volume0),
    volume1: String(window.volume1),
    volume_usd: window.volumeUsd,
    price_change_pct: window.priceChangePct,
  }
}

export function candleRecord(candle: CandleView, { wire }: Choices): Row<typeof candlesPageSchema> {
  const { open, high, low, close } = candle
  return {
    start: wire.timestamp(candle.startMs),
    open,
    high,
    low,
    close,
    volume0: String(candle.volume0),
    volume1: String(candle.volume1),
  }
}

/** `user` is null in a private trade. */
export function tradeRecord(trade: TradeView, { wire }: Choices): z.infer<typeof tradeSchema> {
  const { id, kind, price, tick, transaction, block } = trade
  return {
    id,
    pool: wire.poolKey.encode(trade.pool),
    kind,
    user: trade.user === null ? null : wire.address.encode(trade.user),
    amount0: String(trade.amount0),
    amount1: String(trade.amount1),
    price,
    sqrt_price_x96: String(trade.sqrtPriceX96),
    tick,
    liquidity: String(trade.liquidity),
    transaction,
    block,
    timestamp: wire.timestamp(trade.atMs),
  }
}

export function liquidityRangeRecord(range: LiquidityRangeView): Row<typeof liquidityPageSchema> {
  return {
    tick_lower: range.tickLower,
    tick_upper: range.tickUpper,
    price_lower: range.priceLower,
    price_upper: range.priceUpper,
    liquidity: String(range.liquidity),
    amount0: String(range.amount0),
    amount1: String(range.amount1),
    is_active: range.isActive,
  }
}

/** `observed` is null for a moment before the oldest observation. */
export function observationRecord(
  secondsAgo: number,
  observed: OracleView | null,
): z.infer<typeof oracleBodySchema>['data']['observations'][number] {
  return {
    seconds_ago: secondsAgo,
    tick_cumulative: observed && String(observed.tickCumulative),
    seconds_per_liquidity_cumulative_x128: observed && String(observed.secondsPerLiquidityCumulativeX128),
    mean_tick: observed?.meanTick ?? null,
    price: observed?.price ?? null,
  }
}

type Ids = Pick<Wire, 'poolKey' | 'tokenId'>

/** A pool as a market: base token0, quote token1. */
export function pairRecord(pool: PoolView, { poolKey, tokenId }: Ids) {
  const key = poolKey.encode(pool.key)
  return {
    ticker_id: key,
    base: tokenId.encode(pool.token0.id),
    target: tokenId.encode(pool.token1.id),
    pool_id: key,
  }
}

/** A market with its last price and daily volumes; null if unknown. */
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

export function bookLevel({ price, amount0 }: BookLevel, { token0 }: PoolView): [string, string] {
  return [price, wholeTokens(amount0, token0)]
}

/** A buyer takes the base token, token0, from the pool. */
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
