import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { exactSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/shaped.ts'
import { inOrder } from '../records/list-order.ts'
import { tokenInfo } from '../records/records.ts'

type Options = { choices: Choices }

/** The token registry: a row is the token info and the supply in base units. */
export const tokenRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const { list, ...row } = choices.profile.tokens
  app.get(
    '/tokens',
    {
      config: { access: 'public' },
      schema: {
        description: 'The token registry, whole.',
        response: { 200: tokensBodySchema(choices) },
      },
    },
    ({ views }) => {
      const rows = inOrder(views.tokens(), choices.paging.tokens).map((token) => {
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
