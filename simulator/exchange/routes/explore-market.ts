import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  exploreSearchBodySchema,
  exploreStatsBodySchema,
  exploreTokensPageSchema,
  exploreTransactionsPageSchema,
} from '../../../contract/schemas/explore.ts'
import type { Choices } from '../../choices/choices.ts'
import { pageSchema } from '../input/canonical.ts'
import { exploreQuerySchema, searchSchema, searchText, windowSchema } from '../input/explore-query.ts'
import { exploreTokenRecord, exploreTransactionRecord } from '../records/explore-records.ts'
import { explorePoolRecord } from '../records/records.ts'

type Options = { choices: Choices }

/** What a market page reads beside the list of pools. */
export const exploreMarketRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const config = { access: 'public' } as const

  app.get(
    choices.paths.exploreTokens,
    {
      config,
      schema: {
        description: 'Tokens over all their pools, with the figures of a window.',
        querystring: exploreQuerySchema(choices),
        response: { 200: exploreTokensPageSchema },
      },
    },
    ({ views, query: { search: asked, ...query } }) => {
      const { limit, offset } = query
      const search = searchText(asked, choices)
      const { rows, total } = views.exploreTokens({ ...query, ...(search && { search }) })
      return {
        data: rows.map((row) => exploreTokenRecord(row, choices)),
        pagination: { total, limit, offset },
      }
    },
  )

  app.get(
    '/explore/stats',
    {
      config,
      schema: {
        description: 'Totals of the whole market.',
        querystring: z.object({ window: windowSchema(choices) }),
        response: { 200: exploreStatsBodySchema },
      },
    },
    ({ views, query }) => {
      const { block, ...totals } = views.exploreStats(query.window)
      const observedAt = choices.wire.timestamp(block.timeMs)
      return { data: { observedBlock: block.height, observedAt, ...totals } }
    },
  )

  app.get(
    '/explore/transactions',
    {
      config,
      schema: {
        description: 'Swaps, mints and burns of all pools, newest first.',
        querystring: pageSchema(choices),
        response: { 200: exploreTransactionsPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const { rows, total } = views.trades({ limit, offset })
      const data = rows.flatMap((trade) => {
        const pool = views.pool(trade.pool)
        return pool ? [exploreTransactionRecord(trade, pool, choices)] : []
      })
      return { data, pagination: { total, limit, offset } }
    },
  )

  app.get(
    '/explore/search',
    {
      config,
      schema: {
        description: 'The first tokens and pools that match, those of the highest value first.',
        querystring: pageSchema(choices)
          .pick({ limit: true })
          .extend({
            window: windowSchema(choices),
            search: searchSchema(choices).min(1).describe('As in the lists of tokens and pools'),
          }),
        response: { 200: exploreSearchBodySchema },
      },
    },
    ({ views, query }) => {
      const search = searchText(query.search, choices) ?? ''
      const found = { ...query, search, sort: 'tvlUsd', order: 'desc', offset: 0 } as const
      const [tokens, pools] = [views.exploreTokens(found), views.explorePools(found)]
      return {
        data: {
          tokens: tokens.rows.map((row) => exploreTokenRecord(row, choices)),
          tokensTotal: tokens.total,
          pools: pools.rows.map((row) => explorePoolRecord(row, choices)),
          poolsTotal: pools.total,
        },
      }
    },
  )
}
