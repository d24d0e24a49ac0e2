/** What market-data aggregators ask of an exchange that they list, by their own names; exact figures are strings. */
import { z } from 'zod'
import { exactSchema, paginationSchema } from './wire.ts'

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
