import { z } from 'zod'
import { paginationSchema, shownAmountSchema, shownBaseUnitsSchema, tokenInfoSchema } from './wire.ts'

export const swapSchema = z.object({
  id: z.string(),
  swap_id: z.string(),
  user: z.string(),
  recipient: z.string(),
  pool: z.string(),
  hops: z.array(z.object({ pool: z.string(), zero_for_one: z.boolean() })),
  input_token: z.string(),
  output_token: z.string(),
  input_amount: shownBaseUnitsSchema,
  output_amount: shownBaseUnitsSchema,
  amount_remaining: shownAmountSchema,
  is_private: z.boolean(),
  nonce: z.string(),
  executed_at: z.string(),
  transaction: z.string(),
  claim_tx: z.string().optional(),
  claimed_at: z.string().optional(),
  input_token_info: tokenInfoSchema.optional(),
  output_token_info: tokenInfoSchema.optional(),
  trade: z.string().optional(),
})

export const swapsPageSchema = z.object({ data: z.array(swapSchema), pagination: paginationSchema })
