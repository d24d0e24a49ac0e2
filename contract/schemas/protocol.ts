/** Our choice for trading permissions: the flags, and the lists behind them. */
import { z } from 'zod'
import { poolSchema } from './pools.ts'
import { observedBlockSchema, paginationSchema, revisionOnWireSchema, tokenInfoSchema } from './wire.ts'

export const complianceSchema = z.object({
  revision: revisionOnWireSchema.describe('Of the protocol configuration that this is part of'),
  paused: z.boolean().describe('All trading is stopped'),
  pool_creation: z.enum(['open', 'gated']).describe('`gated`: the administrator alone creates pools'),
  allowlist_enabled: z.boolean().describe('Pairs trade only if both tokens are listed, or the pair is'),
})

export const complianceBodySchema = z.object({ data: complianceSchema })

const { revision, paused, pool_creation } = complianceSchema.shape

export const compliancePauseBodySchema = z.object({
  data: z.object({
    revision,
    observed_block: observedBlockSchema,
    paused,
    paused_pairs: z.int().describe('How many pairs are paused by themselves'),
    disabled_pools: z.int().describe('How many pools are disabled'),
  }),
})

export const compliancePoolCreationBodySchema = z.object({
  data: z.object({ revision, observed_block: observedBlockSchema, pool_creation }),
})

export const complianceTokensPageSchema = z.object({
  data: z.array(tokenInfoSchema).describe('The tokens on the allowlist, whether it binds or not'),
  pagination: paginationSchema,
})

export const compliancePairsPageSchema = z.object({
  data: z
    .array(
      z.object({
        token0: z.string(),
        token1: z.string(),
        listed: z.boolean().describe('On the allowlist, whatever its tokens are'),
        paused: z.boolean().describe('Does not trade while it is paused'),
      }),
    )
    .describe('The pairs that have a rule of their own'),
  pagination: paginationSchema,
})

export const compliancePoolsPageSchema = z.object({
  data: z.array(poolSchema).describe('The disabled pools'),
  pagination: paginationSchema,
})

/** Data that a wallet needs to build transactions (specification, Resources): fee tiers, and inputs of operations. */
export const feeTiersBodySchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      fee_tier: z.int().describe('In hundredths of a basis point'),
      created_at: z.string(),
      transaction: z.string(),
      tick_spacing: z.int().optional(),
    }),
  ),
})

const visibility = z.string().describe('`public`, `private`, or `caller`: private if the caller says so')

const fieldSchema = z.object({ name: z.string(), type: z.string(), description: z.string(), visibility })

export const tradingSchemaBodySchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      program: z.string(),
      function: z.string(),
      description: z.string(),
      visibility,
      inputs: z
        .array(fieldSchema.extend({ fields: z.array(fieldSchema).optional().describe('Of a record') }))
        .describe('In order; the sender signs and is no input'),
      follow_up: z.array(z.string()).optional().describe('Functions that come next'),
    }),
  ),
})
