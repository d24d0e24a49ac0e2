/** What is read of a pool, as it stands on the wire (contract/schemas/market.ts); the names are those of the feed's events. */
import type { z } from 'zod'
import type {
  candlesPageSchema,
  liquidityPageSchema,
  oracleBodySchema,
  poolStatsPageSchema,
  tradeSchema,
} from '../../../contract/schemas/market.ts'
import type { Choices } from '../../choices/choices.ts'
import type {
  LiquidityRangeView,
  OracleView,
  PoolStatsView,
  WindowStatsView,
} from '../../indexer/views/pool-views.ts'
import type { CandleView, TradeView } from '../../indexer/views/trade-views.ts'

type Row<Page extends z.ZodType<{ data: readonly unknown[] }>> = z.infer<Page>['data'][number]

/** A pool with its price, its value and the figures of each window. */
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

/** A candle; times and amounts as the choices spell them. */
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

/** A trade; `user` is null where that is private. */
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

/** A range of prices with its liquidity, exact figures as text. */
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
