import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  complianceBodySchema,
  compliancePairsPageSchema,
  compliancePauseBodySchema,
  compliancePoolCreationBodySchema,
  compliancePoolsPageSchema,
  complianceSchema,
  complianceTokensPageSchema,
} from '../../../contract/schemas/protocol.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped, shapedSchema } from '../../choices/wire.ts'
import type { ComplianceView, ProtocolStateView, Views } from '../../indexer/views/views.ts'
import { Refusal } from '../errors.ts'
import { pageSchema, revisionSchema } from '../input.ts'
import { poolRecord, tokenInfo } from '../records/records.ts'
import { oncePerBlock, perViews, replyJson } from '../replies/block-cache.ts'

type Options = { choices: Choices }

export const protocolRoutes: FastifyPluginAsyncZod<Options> = async (app, { choices }) => {
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
          'Protocol configuration. For a `minimum_revision` that is not indexed yet, returns 503 with `Retry-After`.',
        querystring: z.object({ minimum_revision: revisionSchema.default(0) }),
        response: { 200: stateSchema },
      },
    },
    (request, reply) => {
      if (request.query.minimum_revision > request.views.protocolState().revision) {
        const retryAfterMs = choices.pendingRevision.retryAfterSeconds * 1000
        throw new Refusal('protocol_revision_pending', { retryAfterMs })
      }
      replyJson(reply, stateBodies(request)())
    },
  )
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

type ComplianceOptions = { choices: Choices }

/** Trading rules: the flags together, and each with its lists. */
export const complianceRoutes: FastifyPluginAsyncZod<ComplianceOptions> = async (app, { choices }) => {
  const { wire, paths } = choices
  const config = { access: 'public' } as const
  const revision = (views: Views) => wire.revision(views.protocolState().revision)
  const querystring = pageSchema(choices)

  app.get(
    paths.compliance,
    {
      config,
      schema: { description: 'All flags.', response: { 200: complianceBodySchema } },
    },
    ({ views }) => {
      const { paused, poolCreation, allowlistEnabled } = views.protocolState()
      return {
        data: {
          revision: revision(views),
          paused,
          pool_creation: poolCreation,
          allowlist_enabled: allowlistEnabled,
        },
      }
    },
  )

  app.get(
    `${paths.compliance}/pause`,
    {
      config,
      schema: {
        description: 'Whether trading is paused, and for which pairs.',
        response: { 200: compliancePauseBodySchema },
      },
    },
    ({ views }) => {
      const { paused, pausedPairs, disabledPools } = views.compliance()
      return {
        data: {
          revision: revision(views),
          observed_block: views.head().height,
          paused,
          paused_pairs: pausedPairs.length,
          disabled_pools: disabledPools.length,
        },
      }
    },
  )

  app.get(
    `${paths.compliance}/pool-creation`,
    {
      config,
      schema: {
        description: 'Who may create pools.',
        response: { 200: compliancePoolCreationBodySchema },
      },
    },
    ({ views }) => ({
      data: {
        revision: revision(views),
        observed_block: views.head().height,
        pool_creation: views.protocolState().poolCreation,
      },
    }),
  )

  app.get(
    `${paths.compliance}/tokens`,
    {
      config,
      schema: {
        description: 'The tokens on the allowlist.',
        querystring,
        response: { 200: complianceTokensPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const { allowedTokens } = views.compliance()
      const tokens = allowedTokens.slice(offset, offset + limit).flatMap((id) => views.token(id) ?? [])
      return {
        data: tokens.map((token) => tokenInfo(token, choices)),
        pagination: { total: allowedTokens.length, limit, offset },
      }
    },
  )

  app.get(
    `${paths.compliance}/pairs`,
    {
      config,
      schema: {
        description: 'The pairs on the allowlist, and those that are paused.',
        querystring,
        response: { 200: compliancePairsPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const pairs = pairsWithRules(views.compliance())
      const data = pairs.slice(offset, offset + limit).map(({ pair, listed, paused }) => {
        const [token0 = '', token1 = ''] = pair.split('/').map(wire.tokenId.encode)
        return { token0, token1, listed, paused }
      })
      return { data, pagination: { total: pairs.length, limit, offset } }
    },
  )

  app.get(
    `${paths.compliance}/pools`,
    {
      config,
      schema: {
        description: 'The pools that are disabled.',
        querystring,
        response: { 200: compliancePoolsPageSchema },
      },
    },
    ({ views, query: { limit, offset } }) => {
      const { disabledPools } = views.compliance()
      const pools = disabledPools.slice(offset, offset + limit).flatMap((key) => views.pool(key) ?? [])
      return {
        data: pools.map((pool) => poolRecord(pool, choices)),
        pagination: { total: disabledPools.length, limit, offset },
      }
    },
  )
}

/** Listed pairs first, each kind in order of creation. */
function pairsWithRules({ allowedPairs, pausedPairs }: ComplianceView) {
  const [listed, paused] = [new Set(allowedPairs), new Set(pausedPairs)]
  return [...new Set([...allowedPairs, ...pausedPairs])].map((pair) => ({
    pair,
    listed: listed.has(pair),
    paused: paused.has(pair),
  }))
}
