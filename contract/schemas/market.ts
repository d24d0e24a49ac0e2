/** Our choice for a pool's reads that the specification leaves open: statistics, candles, liquidity, trades and oracle. */
import { z } from 'zod'
import { exactSchema, observedBlockSchema, paginationSchema } from './wire.ts'

const amount0 = exactSchema.describe('Of token0, in base units')
const amount1 = exactSchema.describe('Of token1, in base units')
const price = exactSchema.describe('Whole token1 for a whole token0')
const tick = z.int().describe('The price as a power of 1.0001, rounded down')
const sqrtPriceX96 = exactSchema.describe('The square root of the price in base units, times 2^96')
const timestamp = z.string()

export const windowStatsSchema = z.object({
  start: timestamp.describe('When the window began: with a whole candle'),
  volume0: exactSchema.describe('Traded of token0, either way, in base units'),
  volume1: exactSchema.describe('Traded of token1, either way, in base units'),
  volume_usd: exactSchema
    .nullable()
    .describe('Of the quote token, at its present price; null if that is unknown'),
  price_change_pct: exactSchema.nullable().describe('Null if no one traded in the window'),
})

export const poolStatsSchema = z.object({
  key: z.string().describe('The key of the pool'),
  token0: z.string().describe('A token id'),
  token1: z.string().describe('A token id'),
  enabled: z.boolean(),
  price: price.nullable().describe('Whole token1 for a whole token0; null without liquidity'),
  price_usd: exactSchema
    .nullable()
    .describe('Of the token shown first; null if no pools connect it to the stable token'),
  tvl_usd: exactSchema
    .nullable()
    .describe('What the pool holds, in dollars; null unless both tokens have a price'),
  sqrt_price_x96: sqrtPriceX96,
  tick,
  liquidity: exactSchema.describe('In range at the present price'),
  balance0: amount0,
  balance1: amount1,
  windows: z
    .object({
      '1h': windowStatsSchema,
      '1d': windowStatsSchema,
      '1w': windowStatsSchema,
      '1m': windowStatsSchema,
    })
    .describe('What happened in the last hour, day, week and month of thirty days'),
})

export const poolStatsBodySchema = z.object({
  data: poolStatsSchema.extend({ observed_block: observedBlockSchema }),
})
export const poolStatsPageSchema = z.object({
  data: z.array(poolStatsSchema).describe('In order of creation'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const candleSchema = z.object({
  start: timestamp,
  open: exactSchema,
  high: exactSchema,
  low: exactSchema,
  close: exactSchema,
  volume0: exactSchema.describe('Traded of token0, either way, in base units'),
  volume1: exactSchema.describe('Traded of token1, either way, in base units'),
})

export const candlesPageSchema = z.object({
  data: z.array(candleSchema).describe('Newest first; an interval without trades has none'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const tradeSchema = z.object({
  id: z.string(),
  pool: z.string().describe('The key of the pool'),
  kind: z.enum(['swap', 'mint', 'burn']),
  user: z.string().nullable().describe('Who swapped, or whose position it is; null if that is private'),
  amount0: exactSchema.describe('What the pool got of token0, in base units; negative: what it gave'),
  amount1: exactSchema.describe('What the pool got of token1, in base units; negative: what it gave'),
  price: price.describe('Whole token1 for a whole token0, after the trade'),
  sqrt_price_x96: sqrtPriceX96,
  tick,
  liquidity: exactSchema.describe('In range, after the trade'),
  transaction: z.string(),
  block: z.int(),
  timestamp,
})

export const tradesPageSchema = z.object({
  data: z.array(tradeSchema).describe('Newest first'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const liquidityRangeSchema = z.object({
  tick_lower: z.int(),
  tick_upper: z.int().describe('Start of the next range: the tick itself is outside'),
  price_lower: price,
  price_upper: price,
  liquidity: exactSchema,
  amount0: amount0.describe('Of token0 in the range at the present price, in base units, rounded down'),
  amount1: amount1.describe('Of token1 in the range at the present price, in base units, rounded down'),
  is_active: z.boolean().describe('The present price is in the range'),
})

export const liquidityPageSchema = z.object({
  data: z.array(liquidityRangeSchema).describe('Ranges that hold liquidity, by price, the lowest first'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const observationSchema = z.object({
  seconds_ago: z.int(),
  tick_cumulative: exactSchema.nullable().describe('Tick times seconds, piled up so far; signed'),
  seconds_per_liquidity_cumulative_x128: exactSchema.nullable(),
  mean_tick: z
    .int()
    .nullable()
    .describe(
      'Weighted by time, from then until the observed block, rounded down; null if no time has passed',
    ),
  price: exactSchema.nullable().describe('Whole token1 for a whole token0, at the mean tick'),
})

export const oracleBodySchema = z.object({
  data: z.object({
    observed_block: observedBlockSchema,
    observed_at: timestamp.describe('The time of that block, from which seconds are counted back'),
    observations: z
      .array(observationSchema)
      .describe('All null but `seconds_ago` for a moment before the oldest observation'),
  }),
})

/** Data that market-data aggregators require of a listed exchange, under their own names; exact figures are strings. */
const tickerId = z.string().meta({ description: 'Names the market: the pool’s key' })
const poolId = z.string().meta({ description: 'The pool’s key' })
const exact = (description: string) => exactSchema.meta({ description })
const orNull = (description: string) => exactSchema.nullable().meta({ description })
const epochMs = (description: string) =>
  z
    .int()
    .nonnegative()
    .meta({ description: `${description}, in milliseconds since 1970-01-01T00:00:00Z` })

export const pairsPageSchema = z.object({
  data: z.array(
    z.object({
      ticker_id: tickerId,
      base: z.string().describe('The id of token0'),
      target: z.string().describe('The id of token1, in which prices are'),
      pool_id: poolId,
    }),
  ),
  pagination: paginationSchema,
})

export const tickersPageSchema = z.object({
  data: z.array(
    z.object({
      ticker_id: tickerId,
      base_currency: z.string().describe('The id of token0'),
      target_currency: z.string().describe('The id of token1, in which prices are'),
      pool_id: poolId,
      last_price: orNull('Whole target tokens for a whole base token; null without liquidity'),
      base_volume: exact('Whole base tokens traded in 24 hours'),
      target_volume: exact('Whole target tokens traded in 24 hours'),
      liquidity_in_usd: orNull('What the pool holds'),
      bid: orNull('The best price that a seller gets, fee included; null without liquidity'),
      ask: orNull('The best price that a buyer pays, fee included; null without liquidity'),
      high: orNull('The highest price in 24 hours; null without a trade'),
      low: orNull('The lowest price in 24 hours; null without a trade'),
    }),
  ),
  pagination: paginationSchema,
})

const levelsSchema = z.array(
  z
    .array(exactSchema)
    .length(2)
    .describe('The price, fee included, and the whole base tokens to be had at it'),
)

export const orderBookBodySchema = z.object({
  data: z.object({
    ticker_id: tickerId,
    timestamp: epochMs('When the block was mined as of which the book stands'),
    bids: levelsSchema.describe('The highest price first'),
    asks: levelsSchema.describe('The lowest price first'),
  }),
})

const tradesSchema = z.array(
  z.object({
    trade_id: z.string(),
    price: exact('Target volume for base volume, cut off after 18 digits'),
    base_volume: exact('Whole base tokens'),
    target_volume: exact('Whole target tokens'),
    trade_timestamp: epochMs('When the block was mined that holds the trade'),
    type: z.enum(['buy', 'sell']),
  }),
)

export const historicalTradesBodySchema = z.object({
  data: z.object({
    ticker_id: tickerId,
    buy: tradesSchema.describe('Trades that took the base token from the pool, newest first'),
    sell: tradesSchema.describe('Trades that gave the base token to the pool, newest first'),
  }),
})
