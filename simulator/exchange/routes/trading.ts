import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { feeTiersBodySchema, tradingSchemaBodySchema } from '../../../contract/schemas/protocol.ts'
import { exactSchema, revisionOnWireSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/wire.ts'
import type { RouteView } from '../../indexer/views/views.ts'
import type { StubLimits } from '../../stub-options.ts'
import { type Operation, tradingOperations } from '../../trading/trading-schema.ts'
import { Refusal } from '../errors.ts'
import { amountSchema, textSchema } from '../input.ts'

type Options = { choices: Choices }

export const tradingRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
  const config = { access: 'cred' } as const

  app.get(
    '/fee-tiers',
    {
      config,
      schema: {
        description: 'The fee tiers of new pools, oldest first.',
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

type RouteOptions = { choices: Choices; limits: Pick<StubLimits, 'routeHops'> }

/** An unknown token, or one equal to its target, has no route: 404 as well. */
export const routeRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { choices, limits }) => {
  const hopsMax = limits.routeHops
  const { decode } = choices.wire.tokenId

  app.get(
    '/route',
    {
      config: { access: 'cred', errors: ['no_route'] },
      schema: {
        description:
          'The best route of at most three hops as of the last indexed block: an estimate without guarantee. If its `protocol_revision` is older than the newest you have seen, request it again.',
        querystring: querySchema(choices),
        response: { 200: routeBodySchema(choices) },
      },
    },
    (request) => {
      const { views } = request
      const amountIn = request.query.amount_in
      const tokenIn = decode(request.query.token_in) ?? ''
      const tokenOut = decode(request.query.token_out) ?? ''
      const isKnown = views.token(tokenIn) && views.token(tokenOut)
      const route =
        isKnown && tokenIn !== tokenOut ? views.route({ tokenIn, tokenOut, amountIn, hopsMax }) : undefined
      if (!route) throw new Refusal('no_route')
      const protocolRevision = request.quotedRevision ?? route.protocolRevision
      return routeBody({ tokenIn, tokenOut, route: { ...route, protocolRevision } }, choices)
    },
  )
}

function querySchema(choices: Choices) {
  const tokenId = textSchema({ min: 1, max: choices.keyLengthMax })
  return z.object({ token_in: tokenId, token_out: tokenId, amount_in: amountSchema(choices) })
}

function routeBodySchema({ profile }: Choices) {
  const { hop, ...paths } = profile.route
  const hopSchema = shapedSchema(hop, {
    pool: z.string(),
    tokenIn: z.string(),
    tokenOut: z.string(),
    fee: exactSchema,
    amount_in: exactSchema,
    amount_out: exactSchema,
  })
  return shapedSchema(paths, {
    amountOut: exactSchema,
    hops: z.array(hopSchema),
    protocolRevision: revisionOnWireSchema,
    'data.token_in': z.string(),
    'data.token_out': z.string(),
    'data.amount_in': exactSchema,
    'data.observed_block': z.int(),
  })
}

type Found = { tokenIn: string; tokenOut: string; route: RouteView }

function routeBody({ tokenIn, tokenOut, route }: Found, { wire, profile }: Choices) {
  const { hop: hopPaths, ...paths } = profile.route
  const hops = route.hops.map((hop) =>
    shaped(hopPaths, {
      pool: wire.poolKey.encode(hop.pool),
      tokenIn: wire.tokenId.encode(hop.tokenIn),
      tokenOut: wire.tokenId.encode(hop.tokenOut),
      fee: wire.fee(hop.feePips),
      amount_in: String(hop.amountIn),
      amount_out: String(hop.amountOut),
    }),
  )
  return shaped(paths, {
    amountOut: String(route.amountOut),
    hops,
    protocolRevision: wire.revision(route.protocolRevision),
    'data.token_in': wire.tokenId.encode(tokenIn),
    'data.token_out': wire.tokenId.encode(tokenOut),
    'data.amount_in': String(route.amountIn),
    'data.observed_block': route.block.height,
  })
}
