/** What a wallet needs to build transactions (specification, Resources): fee tiers, and inputs of operations. */
import { z } from 'zod'

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

const visibility = z.string().describe('`public`, `private`, or `caller`: private where the caller says so')

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
