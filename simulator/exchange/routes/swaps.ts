import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { LIMITS } from '../../../contract/limits.ts'
import { swapsPageSchema } from '../../../contract/schemas/swaps.ts'
import type { Choices } from '../../choices/choices.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { requireCredential } from '../access/access.ts'
import { pageSchema } from '../input/canonical.ts'
import { textSchema } from '../input/text.ts'
import { pageFromEnd } from '../records/list-order.ts'
import { swapRecord } from '../records/records.ts'

type Options = { choices: Choices; mutant: MutantName | null }

export const swapRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices, mutant }) => {
  const filter = filterName(choices)
  const { swaps } = choices.paging
  const limitMax = mutant === 'paging-swaps-101-served' ? LIMITS.pageSizeMax + 1 : LIMITS.pageSizeMax

  app.get(
    '/swaps',
    {
      config: { access: 'cred' },
      schema: {
        description: 'Swaps that are public, and private ones that the caller sent or receives.',
        querystring: swapsQuerySchema(choices, limitMax),
        response: { 200: swapsPageSchema },
      },
    },
    (request) => {
      const { limit, offset, [filter]: key } = request.query
      const { address: viewer } = requireCredential(request)
      const isFiltered = key !== undefined && mutant !== 'paging-swaps-unfiltered'
      const pool = !isFiltered ? {} : { pool: choices.wire.poolKey.decode(key) ?? '' }
      const read = (page: { limit: number; offset: number }) =>
        request.views.swaps({ viewer, ...page, ...pool })
      const page = swaps === 'newest first' ? read({ limit, offset }) : pageFromEnd(read, { limit, offset })
      return {
        data: page.rows.map((row) => swapRecord(row, choices)),
        pagination: { total: page.total, limit, offset },
      }
    },
  )
}

function swapsQuerySchema(choices: Choices, limitMax: number) {
  const key = textSchema({ max: choices.keyLengthMax })
    .optional()
    .describe('The key of any pool in the route')
  return pageSchema(choices, { limitMax }).extend({ [filterName(choices)]: key })
}

/** As: one name for the compiler, whichever it is. */
function filterName({ profile }: Choices): 'pool' {
  return profile.swapsPoolFilter as 'pool'
}
