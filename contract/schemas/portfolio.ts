/** The assets of a wallet: unclaimed outputs (specification, Resources), and positions and balances, whose shape is our choice. */
import { z } from 'zod'
import {
  exactSchema,
  observedBlockSchema,
  paginationSchema,
  shownAmountSchema,
  shownBaseUnitsSchema,
  tokenInfoSchema,
} from './wire.ts'

const tokenInfos = { token0_info: tokenInfoSchema.optional(), token1_info: tokenInfoSchema.optional() }

export const owedPositionSchema = z.object({
  token_id: z.string().describe('The id of the position'),
  pool: z.string().describe('The key of the pool'),
  tick_lower: z.int(),
  tick_upper: z.int(),
  tokens_owed0: shownAmountSchema.describe('Fees and burnt liquidity not yet collected, in base units'),
  tokens_owed1: shownAmountSchema.describe('Fees and burnt liquidity not yet collected, in base units'),
  is_frozen: z.boolean(),
  is_private: z.boolean(),
  frozen_at: z.string().optional(),
  last_transaction_hash: z.string().optional(),
  ...tokenInfos,
})

export const pendingSwapSchema = z.object({
  swap_id: z.string(),
  swap_tx_hash: z.string(),
  is_multi_hop: z.boolean(),
  is_private: z.boolean(),
  output: z.object({
    amount_out: shownAmountSchema,
    amount_remaining: shownAmountSchema,
    recipient: z.string(),
    token_in: z.string(),
    token_out: z.string(),
  }),
  token_in_info: tokenInfoSchema.optional(),
  token_out_info: tokenInfoSchema.optional(),
})

export const unclaimedBodySchema = z.object({
  data: z.object({
    pending_swaps: z.array(pendingSwapSchema).describe('Swaps whose output is not all claimed, oldest first'),
    positions_with_owed: z.array(owedPositionSchema).describe('Oldest first'),
  }),
})

export const positionSchema = owedPositionSchema.extend({
  owner: z.string(),
  fee: exactSchema.describe('Of the pool, as its record has it'),
  liquidity: exactSchema,
  amount0: exactSchema.describe('What the liquidity would give of token0 now, in base units, rounded down'),
  amount1: exactSchema.describe('What the liquidity would give of token1 now, in base units, rounded down'),
  in_range: z.boolean().describe('The present price is in the range: the position earns fees'),
  created_at: z.string(),
})

export const positionBodySchema = z.object({
  data: positionSchema.extend({ observed_block: observedBlockSchema }),
})
export const positionsPageSchema = z.object({
  data: z.array(positionSchema).describe('Open positions of the caller, oldest first'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const balanceSchema = z.object({
  token: z.string().describe('A token id'),
  balance: exactSchema.describe('In base units'),
  token_info: tokenInfoSchema,
})

export const balanceBodySchema = z.object({
  data: balanceSchema.extend({ observed_block: observedBlockSchema }),
})
export const balancesPageSchema = z.object({
  data: z
    .array(balanceSchema)
    .describe('Tokens that the caller holds or held, in the order in which they came'),
  pagination: paginationSchema,
  observed_block: observedBlockSchema,
})

export const swapSchema = z
  .object({
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
  .refine(
    ({ is_private, input_amount, output_amount }) =>
      is_private || (input_amount !== '' && output_amount !== ''),
    {
      path: ['input_amount'],
      message: 'an amount of a public swap is empty',
    },
  )

export const swapsPageSchema = z.object({ data: z.array(swapSchema), pagination: paginationSchema })
