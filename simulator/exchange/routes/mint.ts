import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { mintBodySchema } from '../../../contract/schemas/chain.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Views } from '../../indexer/views/views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import type { ChainNode } from '../../world/chain-node.ts'
import { Refusal } from '../errors/refusal.ts'
import { amountSchema } from '../input/canonical.ts'
import { walletAddress } from '../input/wallet-address.ts'

type Options = { views: Views; node: ChainNode; choices: Choices; mutant: MutantName | null }

export const mintRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { views, node, choices, mutant } = options
  const amount = amountSchema(choices).meta({ description: 'Base units' })
  const requestSchema = z.object({
    amm_token_program: z
      .string()
      .min(1)
      .max(choices.keyLengthMax)
      .meta({ description: 'The program of a wrapper token that exists' }),
    amount: spelt(amount, mutant),
    recipient: walletAddress(choices),
  })

  app.post(
    '/tokens/mint',
    {
      config: { access: 'admin', errors: ['token_not_found'] },
      schema: {
        description: 'Mints a wrapper token to a recipient: broadcasts the transaction that does it.',
        body: requestSchema,
        response: { 200: mintBodySchema },
      },
    },
    (request) => {
      const { amm_token_program: program, amount, recipient } = request.body
      const token = views.tokens().find(({ ammTokenProgram }) => ammTokenProgram === program)
      if (!token || token.underlyingProgram === null) {
        throw new Refusal('token_not_found', { detail: 'no wrapper token has this amm_token_program' })
      }
      const txId = node.submit({
        kind: 'mintToken',
        sender: node.administrator,
        tokenId: token.id,
        shares: [{ recipient, amount }],
      })
      return { data: { status: 'broadcast' as const, tx_id: txId } }
    },
  )
}

/** Mutants read amounts as a parser does that takes what it can read. */
function spelt(amount: ReturnType<typeof amountSchema>, mutant: MutantName | null) {
  const ignored =
    mutant === 'admin-mint-any-spelling'
      ? /^[^1-9]+|[^0-9]/g
      : mutant === 'admin-mint-comma'
        ? /,0+$/
        : undefined
  if (ignored === undefined) return amount
  return z.preprocess((text) => (typeof text === 'string' ? text.replace(ignored, '') : text), amount)
}
