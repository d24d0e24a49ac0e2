import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  explorePoolsPageSchema,
  exploreSearchBodySchema,
  exploreStatsBodySchema,
  exploreTokensPageSchema,
  exploreTransactionsPageSchema,
  type valuationSchema,
} from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type { ExploreRow } from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { StubLimits } from '../../stub-options.ts'
import { exploreQuerySchema, pageSchema, searchSchema, windowSchema } from '../input.ts'
import { createExplorePages, createRowRenderer } from '../records/explore-pages.ts'
import { exploreTokenRecord, exploreTransactionRecord, withUnknownFirst } from '../records/explore-records.ts'
import { explorePoolRecord } from '../records/records.ts'

import { createBlockCache, createReplyBytes, perViews } from '../replies/block-cache.ts'
import { extraFieldsText } from '../replies/extra-fields.ts'

type Options = { choices: Choices; limits: Pick<StubLimits, 'explorePageSize'> }

export const exploreRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices, limits }) => {
  const spelling = choices.wire
  const render = (row: ExploreRow) => explorePoolRecord(row, choices)
  const renderText = createRowRenderer(choices)
  const kept = perViews((views) => {
    const explore = choices.explorePools.unknownFigures === 'first' ? withUnknownFirst(views) : views
    const getPage = createExplorePages({ views: explore, render: renderText })
    return { explore, getPage, answers: createBlockCache(views) }
  })
  const replyBytes = createReplyBytes()
  const head = Buffer.from(`{${extraFieldsText(choices.extraFields)}"data":[`)

  app.get(
    '/explore/pools',
    {
      config: { access: 'public' },
      schema: {
        description: 'Pools with the figures of a window.',
        querystring: exploreQuerySchema(choices, {
          limitMax: limits.explorePageSize,
          aboveMax: 'refused',
        }),
        response: { 200: explorePoolsPageSchema },
      },
      preValidation: (request, reply, done) => kept(request).answers.serve(request, reply, done),
    },
    (request, reply) => {
      const { explore, getPage, answers } = kept(request)
      const { window, sort, order, limit, offset, search } = request.query
      if (search) {
        const page = explore.explorePools({ window, sort, order, limit, offset, search, spelling })
        return {
          data: page.rows.map(render),
          pagination: { total: page.total, limit, offset },
          ...quoteStable(request.views, choices),
        }
      }
      const { total, pieces } = getPage({ window, sort, order, limit, offset })
      const pagination = JSON.stringify({ total, limit, offset })
      const { valuation } = quoteStable(request.views, choices)
      const quoted = valuation === undefined ? '' : `,"valuation":${JSON.stringify(valuation)}`
      const tail = Buffer.from(`],"pagination":${pagination}${quoted}}`)
      const body = [head, ...pieces, tail]
      answers.keep(request, body)
      replyBytes(reply, body)
    },
  )
}

/** Validity of a quote, and its number of decimal digits. */
const QUOTE = { validSeconds: 60, decimals: 8 }

/** By definition of the simulated market the stable token is worth a dollar, as of the block of the response. */
function quoteStable(
  views: Pick<Views, 'head'>,
  { explorePools }: Pick<Choices, 'explorePools'>,
): { valuation?: z.infer<typeof valuationSchema> | null } {
  if (explorePools.valuation === 'left out') return {}
  if (explorePools.valuation === 'null') return { valuation: null }
  const publishTime = Math.floor(views.head().timeMs / 1000)
  return {
    valuation: {
      price: `1${'0'.repeat(QUOTE.decimals)}`,
      decimals: QUOTE.decimals,
      publishTime,
      validUntil: publishTime + QUOTE.validSeconds,
      serverTime: publishTime,
      source: 'simulated',
      corroborated: true,
    },
  }
}

type MarketOptions = { choices: Choices }

/** Reads of a market page except the list of pools. */
export const exploreMarketRoutes: FastifyPluginAsyncZod<MarketOptions> = async (app, { choices }) => {
  const config = { access: 'public' } as const
  const spelling = choices.wire

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
    ({ views, query: { search, ...query } }) => {
      const { limit, offset } = query
      const { rows, total } = views.exploreTokens({ ...query, ...(search && { search, spelling }) })
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
        description: 'The first matching tokens and pools, highest value first.',
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
      const found = { ...query, spelling, sort: 'tvlUsd', order: 'desc', offset: 0 } as const
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
