import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { complianceSchema } from '../../../contract/schemas/compliance.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/shaped.ts'
import type { ProtocolStateView } from '../../indexer/views/protocol-views.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { Refusal } from '../errors/refusal.ts'
import { revisionSchema } from '../input/canonical.ts'
import { oncePerBlock } from '../replies/once-per-block.ts'
import { replyJson } from '../replies/reply-json.ts'
import { perViews } from '../requests/choose-views.ts'

type Options = { choices: Choices; mutant: MutantName | null }

/** Protocol configuration. */
export const protocolRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { choices, mutant } = options
  const { wire, profile } = choices
  const stateSchema = stateBodySchema(choices)
  const statePaths = { revision: profile.protocolState.revision }
  const stateBodies = perViews((views) => oncePerBlock(views, () => stateBody(views.protocolState())))
  const stateBody = (state: ProtocolStateView) => {
    const body = shaped(statePaths, {
      revision: wire.revision(state.revision),
      'data.observed_block': state.block,
      'data.paused': state.paused,
      'data.pool_creation': state.poolCreation,
      'data.allowlist_enabled': state.allowlistEnabled,
      'data.fee_tiers': state.feeTiers.map(({ feePips, tickSpacing }) => ({
        fee_tier: feePips,
        tick_spacing: tickSpacing,
      })),
    })
    return JSON.stringify({ ...choices.extraFields, ...stateSchema.parse(body) })
  }

  app.get(
    '/protocol/state',
    {
      config: { access: profile.protocolState.access, errors: ['protocol_revision_pending'] },
      schema: {
        description:
          'Protocol configuration. With a `minimum_revision` that is not indexed yet, 503, and in `Retry-After` how long to wait.',
        querystring: z.object({ minimum_revision: revisionSchema.default(0) }),
        response: { 200: stateSchema },
      },
    },
    (request, reply) => {
      if (
        isPending({
          minimum: request.query.minimum_revision,
          current: request.views.protocolState().revision,
          mutant,
        })
      ) {
        const retryAfterMs = choices.pendingRevision.retryAfterSeconds * 1000
        const code = mutant === 'protocol-pending-without-code' ? 'hidden' : 'shown'
        throw new Refusal('protocol_revision_pending', { retryAfterMs, code })
      }
      replyJson(reply, stateBodies(request)())
    },
  )
}

function isPending(options: { minimum: number; current: number; mutant: MutantName | null }): boolean {
  const { minimum, current, mutant } = options
  if (mutant === 'protocol-pending-served') return false
  if (mutant === 'protocol-minimum-exclusive') return minimum >= current
  if (mutant === 'protocol-minimum-exact') return minimum > 0 && minimum !== current
  return minimum > current
}

function stateBodySchema({ profile }: Choices) {
  const { revision, paused, pool_creation, allowlist_enabled } = complianceSchema.shape
  return shapedSchema(
    { revision: profile.protocolState.revision },
    {
      revision,
      'data.observed_block': z.int(),
      'data.paused': paused,
      'data.pool_creation': pool_creation,
      'data.allowlist_enabled': allowlist_enabled,
      'data.fee_tiers': z.array(z.object({ fee_tier: z.int(), tick_spacing: z.int() })),
    },
  )
}
