import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { exactSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Views } from '../../indexer/views.ts'
import { tokenInfo } from '../records.ts'

/** The token registry: a row is the token info and the supply in base units. */
export const tokenRoutes: FastifyPluginAsyncZod<{ views: Views }> = async (app, { views }) => {
  app.get(
    '/tokens',
    { config: { access: 'public' }, schema: { response: { 200: tokensBodySchema } } },
    () => ({
      data: views.tokens().map((token) => ({ ...tokenInfo(token), supply: String(token.supply) })),
    }),
  )
}

const tokensBodySchema = z.object({ data: z.array(tokenInfoSchema.extend({ supply: exactSchema })) })
