import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  historicalTradesBodySchema,
  orderBookBodySchema,
  pairsPageSchema,
  tickersPageSchema,
} from '../../../contract/schemas/market.ts'
import type { Choices } from '../../choices/choices.ts'
import { HISTORY_LIMITS } from '../../indexer/history/history-log.ts'
import { orderBook } from '../../indexer/pools/order-book.ts'
import type { PoolView } from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { Refusal } from '../errors.ts'
import { canonicalInteger, pageSchema, textSchema } from '../input.ts'
import { bookLevel, historicalTrade, pairRecord, tickerRecord } from '../records/market-records.ts'
import { perBlock, perViews } from '../replies/block-cache.ts'

type Options = { choices: Choices }

/** Routes of a market-data aggregator: each pool is a separate market. Names follow aggregators' conventions. */
export const aggregatorRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const { wire, keyLengthMax } = choices
  const { prefix, depthDefault, depthMax } = choices.aggregator
  // The daily high and low aggregate many candles.
  const tickers = perViews((views) =>
    perBlock(views, (pool: PoolView) => tickerRecord(pool, { views, wire })),
  )
  const requirePool = (views: Views, tickerId: string) => {
    const pool = views.pool(wire.poolKey.decode(tickerId) ?? '')
    if (!pool) throw new Refusal('pool_not_found')
    return pool
  }

  app.get(
    `${prefix}/pairs`,
    {
      config: { access: 'public' },
      schema: {
        description: 'Every market, with its base and target tokens.',
        querystring: pageSchema(choices),
        response: { 200: pairsPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const { rows, total } = views.pools({ limit, offset })
      return { data: rows.map((pool) => pairRecord(pool, wire)), pagination: { total, limit, offset } }
    },
  )

  app.get(
    `${prefix}/tickers`,
    {
      config: { access: 'public' },
      schema: {
        description: 'Price, best bid and ask, and the figures of the last 24 hours of each market.',
        querystring: pageSchema(choices),
        response: { 200: tickersPageSchema },
      },
    },
    (request) => {
      const { limit, offset } = request.query
      const { rows, total } = request.views.pools({ limit, offset })
      return {
        data: rows.map(tickers(request)),
        pagination: { total, limit, offset },
      }
    },
  )

  app.get(
    `${prefix}/orderbook`,
    {
      config: { access: 'public', errors: ['pool_not_found'] },
      schema: {
        description: [
          'The pool’s liquidity as bids and asks. A level is the amount tradable while the price moves from one multiple',
          'of the pool’s tick spacing to the next. `depth` is the number of levels of both sides;',
          `0 requests ${depthMax}, the maximum.`,
        ].join(' '),
        querystring: z.object({
          ticker_id: textSchema({ max: keyLengthMax }),
          depth: canonicalInteger({ min: 0, max: depthMax }).default(depthDefault),
        }),
        response: { 200: orderBookBodySchema },
      },
    },
    ({ views, query: { ticker_id: tickerId, depth } }) => {
      const pool = requirePool(views, tickerId)
      const levelsPerSide = Math.ceil((depth || depthMax) / 2)
      const { bids, asks } = orderBook(pool, views.liquidityDistribution(pool.key) ?? [], { levelsPerSide })
      return {
        data: {
          ticker_id: tickerId,
          timestamp: views.head().timeMs,
          bids: bids.map((level) => bookLevel(level, pool)),
          asks: asks.map((level) => bookLevel(level, pool)),
        },
      }
    },
  )

  app.get(
    `${prefix}/historical_trades`,
    {
      config: { access: 'public', errors: ['pool_not_found'] },
      schema: {
        description: [
          `Swaps of a market, newest first, from the newest ${TRADES_MAX} swaps and changes of liquidity in its pool.`,
          'Times are in milliseconds since 1970-01-01T00:00:00Z; both bounds are included.',
        ].join(' '),
        querystring: tradesQuerySchema(keyLengthMax),
        response: { 200: historicalTradesBodySchema },
      },
    },
    ({ views, query }) => {
      const { ticker_id: tickerId, type, limit, start_time: startMs, end_time: endMs } = query
      const pool = requirePool(views, tickerId)
      const trades = views
        .trades({ pool: pool.key, limit: TRADES_MAX, offset: 0 })
        .rows.filter(({ kind, atMs }) => kind === 'swap' && atMs >= startMs && atMs <= endMs)
        .map((trade) => historicalTrade(trade, pool))
        .filter((trade) => type === undefined || trade.type === type)
        .slice(0, limit || TRADES_MAX)
      return {
        data: {
          ticker_id: tickerId,
          buy: trades.filter((trade) => trade.type === 'buy'),
          sell: trades.filter((trade) => trade.type === 'sell'),
        },
      }
    },
  )
}

const TRADES_DEFAULT = 100
const TRADES_MAX = HISTORY_LIMITS.tradesPerPool

function tradesQuerySchema(keyLengthMax: number) {
  const time = canonicalInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
  return z
    .object({
      ticker_id: textSchema({ max: keyLengthMax }),
      type: z.enum(['buy', 'sell']).optional(),
      limit: canonicalInteger({ min: 0, max: TRADES_MAX })
        .default(TRADES_DEFAULT)
        .describe('0 requests all that are kept'),
      start_time: time.default(0),
      end_time: time.default(Number.MAX_SAFE_INTEGER),
    })
    .refine(({ start_time, end_time }) => start_time <= end_time, {
      path: ['end_time'],
      error: 'expected a time that is not before start_time',
    })
}
