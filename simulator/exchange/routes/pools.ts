import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { poolBodySchema, poolsPageSchema } from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { pageSchema } from '../canonical.ts'
import { pageFromEnd } from '../list-order.ts'
import { poolRecord } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { textSchema } from '../text.ts'

type Options = { views: Views; choices: Choices; mutant: MutantName | null }

export const poolRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, choices, mutant }) => {
  const { pools } = choices.paging

  app.get(
    '/pools',
    {
      config: { access: 'public' },
      schema: {
        description: 'Every pool, plain.',
        querystring: pageSchema(choices),
        response: { 200: poolsPageSchema },
      },
    },
    (request) => {
      const { limit, offset } = request.query
      const page =
        pools === 'oldest first'
          ? views.pools({ limit, offset })
          : pageFromEnd(views.pools, { limit, offset })
      const rows = mutant === 'paging-pools-row-lost' && offset > 0 ? page.rows.slice(1) : page.rows
      return {
        data: rows.map((row) => poolRecord(row, choices)),
        pagination: { total: page.total, limit, offset },
      }
    },
  )

  app.get(
    '/pools/:key',
    {
      config: { access: 'public', errors: ['invalid_request', 'pool_not_found'] },
      schema: {
        description: 'A pool, by its complete key, exactly as the list has it.',
        params: z.object({ key: textSchema({ max: choices.keyLengthMax }) }),
        response: { 200: poolBodySchema },
      },
    },
    (request) => {
      const pool = views.pool(choices.wire.poolKey.decode(request.params.key) ?? '')
      if (!pool) throw new Refusal('pool_not_found')
      return { data: poolRecord(pool, choices) }
    },
  )
}
