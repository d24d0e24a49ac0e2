import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { feeTiersBodySchema, tradingSchemaBodySchema } from '../../../contract/schemas/trading.ts'
import type { Choices } from '../../choices/choices.ts'
import { type Operation, tradingOperations } from '../../trading/trading-schema.ts'

type Options = { choices: Choices }

/** What a wallet needs to know to build transactions. */
export const tradingRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const config = { access: 'cred' } as const

  app.get(
    '/fee-tiers',
    {
      config,
      schema: {
        description: 'The fee tiers that pools are created at, oldest first.',
        response: { 200: feeTiersBodySchema },
      },
    },
    ({ views }) => ({
      data: views.feeTiers().map(({ id, feePips, tickSpacing, createdAtMs, transaction }) => ({
        id,
        fee_tier: feePips,
        created_at: choices.wire.timestamp(createdAtMs),
        transaction,
        tick_spacing: tickSpacing,
      })),
    }),
  )

  const data = tradingOperations().map(operationRecord)
  app.get(
    '/schema/trading',
    {
      config,
      schema: {
        description:
          'Inputs of the operations of trading, liquidity and tokens, as the chain takes them now.',
        response: { 200: tradingSchemaBodySchema },
      },
    },
    () => ({ data }),
  )
}

function operationRecord({ followUp, inputs, ...operation }: Operation) {
  return {
    id: `${operation.program}/${operation.function}`,
    ...operation,
    inputs: inputs.map(({ fields, ...input }) => ({ ...input, ...(fields && { fields: [...fields] }) })),
    ...(followUp.length > 0 && { follow_up: [...followUp] }),
  }
}
