import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { explorePoolsPageSchema } from '../../../contract/schemas/pools.ts'
import { paginationSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import type { ExploreRow, ExploreSort, Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants.ts'
import { pageSchema } from '../canonical.ts'
import { createExplorePages } from '../explore-pages.ts'
import { extraFieldsText } from '../extra-fields.ts'
import { explorePoolRecord, tokenInfo } from '../records.ts'
import { createReplyBytes } from '../reply-bytes.ts'
import { withUnknownFirst } from '../unknown-first.ts'

type Options = { views: Views; choices: Choices; mutant: MutantName | null }

const WINDOWS = ['1h', '1d', '1w', '1m'] as const

export const exploreRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, choices, mutant }) => {
  const limitMax = mutant === 'paging-101-served' ? LIMITS.pageSizeMax + 1 : LIMITS.pageSizeMax

  const render = (row: ExploreRow) => explorePoolRecord(row, choices)
  const explore = choices.explorePools.unknownFigures === 'first' ? withUnknownFirst(views) : views
  const pageOf = createExplorePages({ views: explore, render: (row) => JSON.stringify(render(row)) })
  const replyBytes = createReplyBytes()
  const head = Buffer.from(`{${extraFieldsText(choices.extraFields)}"data":[`)
  const valuation = choices.explorePools.valuation === 'null' ? ',"valuation":null' : ''

  app.get(
    '/explore/pools',
    {
      config: { access: 'public' },
      schema: {
        querystring: explorePoolsQuerySchema(choices, limitMax),
        response: { 200: explorePoolsPageSchema },
      },
    },
    (request, reply) => {
      const { window, sort, limit, offset } = request.query
      const order = mutant === 'paging-order-ignored' ? 'desc' : request.query.order
      const search =
        mutant === 'paging-search-ignored' ? undefined : searchText(request.query.search, choices)
      if (search) {
        const page = explore.explorePools({ window, sort, order, limit, offset, search })
        return {
          ...choices.extraFields,
          data: page.rows.map(render),
          pagination: { total: page.total, limit, offset },
          ...(choices.explorePools.valuation === 'null' && { valuation: null }),
        }
      }
      const { total, pieces } = pageOf({ window, sort, order, limit, offset })
      const pagination = JSON.stringify({ total, limit, offset })
      const tail = Buffer.from(`],"pagination":${pagination}${valuation}}`)
      replyBytes(reply, [head, ...pieces, tail])
    },
  )

  app.get(
    choices.paths.exploreTokens,
    {
      config: { access: 'public' },
      schema: { querystring: pageSchema(choices), response: { 200: tokensPageSchema } },
    },
    (request) => {
      const { limit, offset } = request.query
      const tokens = views.tokens()
      return {
        data: tokens.slice(offset, offset + limit).map((token) => tokenInfo(token, choices)),
        pagination: { total: tokens.length, limit, offset },
      }
    },
  )
}

function explorePoolsQuerySchema(choices: Choices, limitMax: number) {
  const { windowDefault, sorts, sortDefault, orderDefault, searchLengthMax } = choices.explorePools
  return pageSchema(choices, { limitMax, aboveMax: 'refused' }).extend({
    window: z.enum(WINDOWS).default(windowDefault),
    sort: z
      .enum(Object.keys(sorts))
      .default(sortDefault)
      .transform((name) => sorts[name] as ExploreSort), // as: one of its keys
    order: z.enum(['asc', 'desc']).default(orderDefault),
    search: z.string().max(searchLengthMax).optional(),
  })
}

/** A key or an address as it is shown; all else is looked for as it comes. */
function searchText(text: string | undefined, { wire }: Choices): string | undefined {
  return text && (wire.poolKey.decode(text) ?? wire.address.decode(text) ?? text)
}

const tokensPageSchema = z.object({ data: z.array(tokenInfoSchema), pagination: paginationSchema })
