import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { poolBodySchema, poolsPageSchema } from '../../../contract/schemas/pools.ts'
import { swapsPageSchema } from '../../../contract/schemas/portfolio.ts'
import { exactSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/wire.ts'
import type { StubLimits } from '../../stub-options.ts'
import { requireCredential } from '../access/access.ts'
import { Refusal } from '../errors.ts'
import { pageSchema, textSchema } from '../input.ts'
import {
  orderRows,
  poolRecord,
  readPageFromEnd,
  readPools,
  swapRecord,
  tokenInfo,
} from '../records/records.ts'

type Options = { choices: Choices }

export const poolRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
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
      const { limit, offset } = query
      const page = readPools(views, { limit, offset }, choices)
      return {
        data: page.rows.map((row) => poolRecord(row, choices)),
        pagination: { total: page.total, limit, offset },
      }
    },
  )

  app.get(
    '/pools/:key',
    {
      config: { access: 'public', errors: ['invalid_request', 'pool_not_found'] },
      schema: {
        description: 'A pool, by its complete key, exactly as in the list.',
        params: z.object({ key: textSchema({ max: choices.keyLengthMax }) }),
        response: { 200: poolBodySchema },
      },
    },
    ({ views, params: { key } }) => {
      const pool = views.pool(choices.wire.poolKey.decode(key) ?? '')
      if (!pool) throw new Refusal('pool_not_found')
      return { data: poolRecord(pool, choices) }
    },
  )
}

type SwapOptions = { choices: Choices; limits: Pick<StubLimits, 'swapsPageSize'> }

export const swapRoutes: FastifyPluginAsyncZod<SwapOptions> = async (app, { choices, limits }) => {
  const filter = filterName(choices)
  const { swaps } = choices.paging

  app.get(
    '/swaps',
    {
      config: { access: 'cred' },
      schema: {
        description: 'Public swaps, and private ones that the caller sent or receives.',
        querystring: swapsQuerySchema(choices, limits.swapsPageSize),
        response: { 200: swapsPageSchema },
      },
    },
    (request) => {
      const { limit, offset, [filter]: key } = request.query
      const { address: viewer } = requireCredential(request)
      const pool = key === undefined ? {} : { pool: choices.wire.poolKey.decode(key) ?? '' }
      const read = (page: { limit: number; offset: number }) =>
        request.views.swaps({ viewer, ...page, ...pool })
      const page =
        swaps === 'newest first' ? read({ limit, offset }) : readPageFromEnd(read, { limit, offset })
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

type TokenOptions = { choices: Choices }

/** The token registry: a row is the token info and the supply in base units. */
export const tokenRoutes: FastifyPluginAsyncZod<TokenOptions> = async (app, { choices }) => {
  const { list, ...row } = choices.profile.tokens
  app.get(
    '/tokens',
    {
      config: { access: 'public' },
      schema: {
        description: 'The complete token registry.',
        response: { 200: tokensBodySchema(choices) },
      },
    },
    ({ views }) => {
      const rows = orderRows(views.tokens(), choices.paging.tokens).map((token) => {
        const { amm_token_program: ammTokenProgram, ...info } = tokenInfo(token, choices)
        return shaped(row, { ...info, ammTokenProgram, supply: String(token.supply) })
      })
      return shaped({ list }, { list: rows })
    },
  )
}

function tokensBodySchema({ profile }: Choices) {
  const { list, ...row } = profile.tokens
  const { amm_token_program: ammTokenProgram, ...info } = tokenInfoSchema.shape
  const rowSchema = shapedSchema(row, { ...info, ammTokenProgram, supply: exactSchema })
  return shapedSchema({ list }, { list: z.array(rowSchema) })
}
