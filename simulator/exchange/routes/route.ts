import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { exactSchema } from '../../../contract/schemas/wire.ts'
import { CHOICES } from '../../choices.ts'
import type { RouteView, Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants.ts'
import { amountSchema } from '../canonical.ts'
import { Refusal } from '../refusal.ts'

type Options = { views: Views; mutant: MutantName | null }

/** A token that is not known, or is its own target, has no route: 404 as well. */
export const routeRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, mutant }) => {
  const hopsMax = mutant === 'route-4-hops' ? LIMITS.routeHopsMax + 1 : LIMITS.routeHopsMax

  app.get(
    '/route',
    { config: { access: 'cred' }, schema: { querystring: querySchema, response: { 200: routeBodySchema } } },
    (request) => {
      const { token_in: tokenIn, token_out: tokenOut, amount_in: amountIn } = request.query
      const isKnown = views.token(tokenIn) && views.token(tokenOut)
      const route =
        isKnown && tokenIn !== tokenOut ? views.route({ tokenIn, tokenOut, amountIn, hopsMax }) : undefined
      if (!route) throw new Refusal(mutant === 'route-none-400' ? 'invalid_request' : 'no_route')
      return { data: { token_in: tokenIn, token_out: tokenOut, ...routeRecord(route) } }
    },
  )
}

const tokenIdSchema = z.string().min(1).max(CHOICES.keyLengthMax)
const querySchema = z.object({ token_in: tokenIdSchema, token_out: tokenIdSchema, amount_in: amountSchema })

const hopSchema = z.object({
  pool: z.string(),
  token_in: z.string(),
  token_out: z.string(),
  fee: exactSchema,
  amount_in: exactSchema,
  amount_out: exactSchema,
})

const routeBodySchema = z.object({
  data: z.object({
    token_in: z.string(),
    token_out: z.string(),
    amount_in: exactSchema,
    amount_out: exactSchema,
    hops: z.array(hopSchema),
    protocol_revision: z.int(),
    observed_block: z.int(),
  }),
})

function routeRecord(route: RouteView) {
  return {
    amount_in: String(route.amountIn),
    amount_out: String(route.amountOut),
    hops: route.hops.map((hop) => ({
      pool: hop.pool,
      token_in: hop.tokenIn,
      token_out: hop.tokenOut,
      fee: String(hop.feePips),
      amount_in: String(hop.amountIn),
      amount_out: String(hop.amountOut),
    })),
    protocol_revision: route.protocolRevision,
    observed_block: route.block.height,
  }
}
