import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { swapsPageSchema } from '../../../contract/schemas/swaps.ts'
import { CHOICES } from '../../choices.ts'
import type { Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants.ts'
import { canonicalInteger, pageSchema } from '../canonical.ts'
import { swapRecord } from '../records.ts'

type Options = { views: Views; mutant: MutantName | null }

export const swapRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, mutant }) => {
  const limitMax = mutant === 'paging-swaps-101-served' ? LIMITS.pageSizeMax + 1 : LIMITS.pageSizeMax

  app.get(
    '/swaps',
    {
      config: { access: 'cred' },
      schema: { querystring: swapsQuerySchema(limitMax), response: { 200: swapsPageSchema } },
    },
    (request) => {
      const { limit, offset, [CHOICES.swaps.poolFilter]: pool } = request.query
      const page = views.swaps({ limit, offset, ...(pool !== undefined && { pool }) })
      return { data: page.rows.map(swapRecord), pagination: { total: page.total, limit, offset } }
    },
  )
}

function swapsQuerySchema(limitMax: number) {
  return pageSchema.extend({
    limit: canonicalInteger({ min: LIMITS.pageSizeMin, max: limitMax }).default(CHOICES.paging.limitDefault),
    [CHOICES.swaps.poolFilter]: z.string().max(CHOICES.keyLengthMax).optional(),
  })
}
