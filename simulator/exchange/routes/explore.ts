import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { LIMITS } from '../../../contract/limits.ts'
import { explorePoolsPageSchema } from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type { ExploreRow } from '../../indexer/views/explore-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { exploreQuerySchema, searchText } from '../input/explore-query.ts'
import { createExplorePages } from '../records/explore-pages.ts'
import { explorePoolRecord } from '../records/records.ts'
import { withUnknownFirst } from '../records/unknown-first.ts'
import { createAnswersOfBlock } from '../replies/answers-of-block.ts'
import { extraFieldsText } from '../replies/extra-fields.ts'
import { createReplyBytes } from '../replies/reply-bytes.ts'

type Options = { views: Views; choices: Choices; mutant: MutantName | null }

export const exploreRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, choices, mutant }) => {
  const limitMax = mutant === 'paging-101-served' ? LIMITS.pageSizeMax + 1 : LIMITS.pageSizeMax

  const render = (row: ExploreRow) => explorePoolRecord(row, choices)
  const explore = choices.explorePools.unknownFigures === 'first' ? withUnknownFirst(views) : views
  const pageOf = createExplorePages({ views: explore, render: (row) => JSON.stringify(render(row)) })
  const replyBytes = createReplyBytes()
  const answers = createAnswersOfBlock(views)
  const head = Buffer.from(`{${extraFieldsText(choices.extraFields)}"data":[`)
  const valuation = choices.explorePools.valuation === 'null' ? ',"valuation":null' : ''

  app.get(
    '/explore/pools',
    {
      config: { access: 'public' },
      schema: {
        description: 'Pools with the figures of a window.',
        querystring: exploreQuerySchema(choices, { limitMax, aboveMax: 'refused' }),
        response: { 200: explorePoolsPageSchema },
      },
      preValidation: answers.serve,
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
      const body = [head, ...pieces, tail]
      answers.keep(request, body)
      replyBytes(reply, body)
    },
  )
}
