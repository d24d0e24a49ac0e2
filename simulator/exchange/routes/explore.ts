import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { paginationSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import { CHOICES } from '../../choices.ts'
import type { ExploreSort, Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants.ts'
import { canonicalInteger, pageSchema } from '../canonical.ts'
import { createExplorePages } from '../explore-pages.ts'
import { explorePoolRecord, tokenInfo } from '../records.ts'
import { createReplyBytes } from '../reply-bytes.ts'

type Options = { views: Views; mutant: MutantName | null }

const { windows, windowDefault, sorts, sortDefault, orders, orderDefault, searchLengthMax } =
  CHOICES.explorePools

export const exploreRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, mutant }) => {
  const limitMax = mutant === 'paging-101-served' ? LIMITS.pageSizeMax + 1 : LIMITS.pageSizeMax

  const pageOf = createExplorePages({ views, render: (row) => JSON.stringify(explorePoolRecord(row)) })
  const replyBytes = createReplyBytes()

  app.get(
    '/explore/pools',
    {
      config: { access: 'public' },
      schema: { querystring: explorePoolsQuerySchema(limitMax) },
    },
    (request, reply) => {
      const { window, limit, offset } = request.query
      const order = mutant === 'paging-order-ignored' ? 'desc' : request.query.order
      const search = mutant === 'paging-search-ignored' ? undefined : request.query.search
      const sort: ExploreSort = sorts[request.query.sort]
      if (search) {
        const page = views.explorePools({ window, sort, order, limit, offset, search })
        return {
          data: page.rows.map(explorePoolRecord),
          pagination: { total: page.total, limit, offset },
          valuation: null,
        }
      }
      const { total, pieces } = pageOf({ window, sort, order, limit, offset })
      const pagination = JSON.stringify({ total, limit, offset })
      const tail = Buffer.from(`],"pagination":${pagination},"valuation":null}`)
      return replyBytes(reply, [HEAD, ...pieces, tail])
    },
  )

  app.get(
    '/explore/tokens',
    {
      config: { access: 'public' },
      schema: { querystring: pageSchema, response: { 200: tokensPageSchema } },
    },
    (request) => {
      const { limit, offset } = request.query
      const tokens = views.tokens()
      return {
        data: tokens.slice(offset, offset + limit).map(tokenInfo),
        pagination: { total: tokens.length, limit, offset },
      }
    },
  )
}

function explorePoolsQuerySchema(limitMax: number) {
  return pageSchema.extend({
    limit: canonicalInteger({ min: LIMITS.pageSizeMin, max: limitMax }).default(CHOICES.paging.limitDefault),
    window: z.enum(windows).default(windowDefault),
    sort: z.enum(SORT_NAMES).default(sortDefault),
    order: z.enum(orders).default(orderDefault),
    search: z.string().max(searchLengthMax).optional(),
  })
}

const HEAD = Buffer.from('{"data":[')

/** As: the keys of a constant are all that it has. */
const SORT_NAMES = Object.keys(sorts) as (keyof typeof sorts)[]

const tokensPageSchema = z.object({ data: z.array(tokenInfoSchema), pagination: paginationSchema })
