import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  candlesPageSchema,
  liquidityPageSchema,
  oracleBodySchema,
  poolStatsBodySchema,
  poolStatsPageSchema,
  tradesPageSchema,
} from '../../../contract/schemas/market.ts'
import type { Choices } from '../../choices/choices.ts'
import { CANDLE_INTERVALS } from '../../indexer/candle-interval.ts'
import type { Views } from '../../indexer/views/views.ts'
import { Refusal } from '../errors.ts'
import { canonicalInteger, pageSchema, textSchema } from '../input.ts'
import {
  candleRecord,
  liquidityRangeRecord,
  observationRecord,
  poolStatsRecord,
  tradeRecord,
} from '../records/market-records.ts'
import { readPools } from '../records/records.ts'

type Options = { choices: Choices }

/** Reads of a pool except its record: public, and 404 for an unknown key. */
export const poolReadRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const { keyLengthMax, wire } = choices
  const config = { access: 'public', errors: ['invalid_request', 'pool_not_found'] } as const
  const params = z.object({
    key: textSchema({ max: keyLengthMax }).describe('The complete key of the pool, exactly as in the list'),
  })
  const known = (views: Views, key: string): string => {
    const pool = views.pool(wire.poolKey.decode(key) ?? '')
    if (!pool) throw new Refusal('pool_not_found')
    return pool.key
  }
  const observedBlock = (views: Views) => views.head().height

  app.get(
    '/pools/stats',
    {
      config: { access: 'public' },
      schema: {
        description: 'Statistics of all pools, in the order of /pools.',
        querystring: pageSchema(choices),
        response: { 200: poolStatsPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const { rows, total } = readPools(views, { limit, offset }, choices)
      const stats = rows.flatMap(({ key }) => views.poolStats(key) ?? [])
      return {
        data: stats.map((row) => poolStatsRecord(row, choices)),
        pagination: { total, limit, offset },
        observed_block: observedBlock(views),
      }
    },
  )

  app.get(
    '/pools/:key/stats',
    {
      config,
      schema: {
        description:
          'Price, liquidity and balances of the pool, and its activity in windows from an hour to a month.',
        params,
        response: { 200: poolStatsBodySchema },
      },
    },
    ({ views, params: { key } }) => {
      const stats = views.poolStats(known(views, key))
      if (!stats) throw new Refusal('pool_not_found')
      return { data: { ...poolStatsRecord(stats, choices), observed_block: observedBlock(views) } }
    },
  )

  app.get(
    '/pools/:key/ohlcv',
    {
      config,
      schema: {
        description: 'Candles of the pool, newest first. Days are UTC.',
        params,
        querystring: candlesQuerySchema(choices),
        response: { 200: candlesPageSchema },
      },
    },
    ({ views, params: { key }, query: { interval, from, to, limit, offset } }) => {
      const { rows, total } = views.candles({
        pool: known(views, key),
        interval,
        limit,
        offset,
        ...(from !== undefined && { fromMs: from * 1000 }),
        ...(to !== undefined && { toMs: to * 1000 }),
      })
      return {
        data: rows.map((candle) => candleRecord(candle, choices)),
        pagination: { total, limit, offset },
        observed_block: observedBlock(views),
      }
    },
  )

  app.get(
    '/pools/:key/liquidity-distribution',
    {
      config,
      schema: {
        description: 'The pool’s liquidity by price range, the lowest price first.',
        params,
        querystring: pageSchema(choices),
        response: { 200: liquidityPageSchema },
      },
    },
    ({ views, params: { key }, query: { limit, offset } }) => {
      const ranges = views.liquidityDistribution(known(views, key)) ?? []
      return {
        data: ranges.slice(offset, offset + limit).map(liquidityRangeRecord),
        pagination: { total: ranges.length, limit, offset },
        observed_block: observedBlock(views),
      }
    },
  )

  app.get(
    '/pools/:key/trades',
    {
      config,
      schema: {
        description: 'Swaps through the pool, mints and burns of its liquidity, newest first.',
        params,
        querystring: pageSchema(choices),
        response: { 200: tradesPageSchema },
      },
    },
    ({ views, params: { key }, query: { limit, offset } }) => {
      const { rows, total } = views.trades({ pool: known(views, key), limit, offset })
      return {
        data: rows.map((trade) => tradeRecord(trade, choices)),
        pagination: { total, limit, offset },
        observed_block: observedBlock(views),
      }
    },
  )

  app.get(
    '/pools/:key/oracle',
    {
      config,
      schema: {
        description: 'Oracle values of the pool at moments before the last indexed block.',
        params,
        querystring: oracleQuerySchema(choices),
        response: { 200: oracleBodySchema },
      },
    },
    ({ views, params: { key }, query: { seconds_ago: requested } }) => {
      const pool = known(views, key)
      const secondsAgos = requested === undefined ? choices.oracle.secondsAgoDefaults : [requested]
      const observed = views.oracle({ pool, secondsAgos }) ?? []
      const { height, timeMs } = views.head()
      return {
        data: {
          observed_block: height,
          observed_at: wire.timestamp(timeMs),
          observations: secondsAgos.map((secondsAgo, place) =>
            observationRecord(secondsAgo, observed[place] ?? null),
          ),
        },
      }
    },
  )
}

/** The end of the year 9999: the maximum of RFC 3339. */
const TIME_MAX_S = 253_402_300_799

function candlesQuerySchema(choices: Choices) {
  const time = (min: number) => canonicalInteger({ min, max: TIME_MAX_S })
  return pageSchema(choices)
    .extend({
      interval: z
        .enum(CANDLE_INTERVALS)
        .default(choices.ohlcv.intervalDefault)
        .describe('The length of a candle'),
      from: time(0)
        .optional()
        .describe('Candles that begin at or after this time, in seconds since 1970-01-01T00:00:00Z'),
      to: time(1)
        .optional()
        .describe('Candles that begin before this time, in seconds since 1970-01-01T00:00:00Z'),
    })
    .refine(({ from = 0, to = Number.POSITIVE_INFINITY }) => from < to, {
      path: ['from'],
      error: 'expected a time before to',
    })
}

function oracleQuerySchema({ oracle }: Choices) {
  return z.object({
    seconds_ago: canonicalInteger({ min: 0, max: oracle.secondsAgoMax })
      .optional()
      .describe(
        `One moment, in seconds before the last block; default: ${oracle.secondsAgoDefaults.join(', ')}`,
      ),
  })
}
