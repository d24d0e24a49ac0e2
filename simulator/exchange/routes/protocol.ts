import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { CHOICES } from '../../choices.ts'
import type { Views } from '../../indexer/views.ts'
import type { MutantName } from '../../mutants.ts'
import { revisionSchema } from '../canonical.ts'
import { Refusal } from '../refusal.ts'

type Options = { views: Views; mutant: MutantName | null }

/** Protocol configuration, and what of it concerns compliance. */
export const protocolRoutes: FastifyPluginAsyncZod<Options> = async (app, { views, mutant }) => {
  app.get(
    '/protocol/state',
    {
      config: { access: 'public' },
      schema: {
        querystring: z.object({ minimum_revision: revisionSchema.default(0) }),
        response: { 200: stateBodySchema },
      },
    },
    (request) => {
      const state = views.protocolState()
      if (request.query.minimum_revision > state.revision) {
        const retryAfter = String(CHOICES.pendingRevision.retryAfterSeconds)
        const code = mutant === 'protocol-pending-without-code' ? 'hidden' : 'shown'
        throw new Refusal('protocol_revision_pending', { headers: { 'retry-after': retryAfter }, code })
      }
      return {
        data: {
          revision: state.revision,
          observed_block: state.block,
          paused: state.paused,
          pool_creation: state.poolCreation,
          allowlist_enabled: state.allowlistEnabled,
          fee_tiers: state.feeTiers.map(({ feePips, tickSpacing }) => ({
            fee_tier: feePips,
            tick_spacing: tickSpacing,
          })),
        },
      }
    },
  )

  app.get(
    '/compliance',
    { config: { access: 'public' }, schema: { response: { 200: complianceBodySchema } } },
    () => {
      const { revision, paused, poolCreation, allowlistEnabled } = views.protocolState()
      return {
        data: { revision, paused, pool_creation: poolCreation, allowlist_enabled: allowlistEnabled },
      }
    },
  )
}

const complianceSchema = z.object({
  revision: z.int(),
  paused: z.boolean(),
  pool_creation: z.enum(['open', 'gated']),
  allowlist_enabled: z.boolean(),
})

const complianceBodySchema = z.object({ data: complianceSchema })

const stateBodySchema = z.object({
  data: complianceSchema.extend({
    observed_block: z.int(),
    fee_tiers: z.array(z.object({ fee_tier: z.int(), tick_spacing: z.int() })),
  }),
})
