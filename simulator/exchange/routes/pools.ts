import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { poolBodySchema, poolsPageSchema } from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { Refusal } from '../errors/refusal.ts'
import { pageSchema } from '../input/canonical.ts'
import { textSchema } from '../input/text.ts'
import { pageFromEnd } from '../records/list-order.ts'
import { poolRecord } from '../records/records.ts'

type Options = { choices: Choices; mutant: MutantName | null }

export const poolRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices, mutant }) => {
  const { pools } = choices.paging
  let spellings = 0

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
    ({ views, query }) => {
      const { limit, offset: asked } = query
      const isBeyond =
        mutant === 'paging-pools-starts-over' && asked > views.pools({ limit: 0, offset: 0 }).total
      const offset = isBeyond ? 0 : asked
      const page =
        pools === 'oldest first'
          ? views.pools({ limit, offset })
          : pageFromEnd(views.pools, { limit, offset })
      const rows = mutant === 'paging-pools-row-lost' && offset > 0 ? page.rows.slice(1) : page.rows
      const data = rows.map((row) => poolRecord(row, choices))
      const last = data.at(-1)
      if (mutant === 'paging-keys-change' && last) last.key = `${last.key}~${++spellings}`
      return {
        data,
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
    ({ views, params: { key } }) => {
      const known = mutant === 'paging-keys-change' ? key.replace(/~[0-9]+$/, '') : key
      const pool = views.pool(choices.wire.poolKey.decode(known) ?? '')
      if (!pool) throw new Refusal('pool_not_found')
      return { data: { ...poolRecord(pool, choices), ...(known !== key && { key }) } }
    },
  )
}
