import { z } from 'zod'
import { exactSchema, observedBlockSchema, paginationSchema } from './wire.ts'

/** The plain pool record: the five specified fields; a target may send more. */
export const poolSchema = z.object({
  key: z.string().min(1),
  token0: z.string().min(1),
  token1: z.string().min(1),
  enabled: z.boolean(),
  fee: exactSchema,
})

export const poolsPageSchema = z.object({ data: z.array(poolSchema), pagination: paginationSchema })
export const poolBodySchema = z.object({ data: poolSchema })

export const explorePoolSchema = z.object({
  id: z.string(),
  key: z.string().min(1),
  token0: z.string().min(1),
  token1: z.string().min(1),
  token0Name: z.string(),
  token0Symbol: z.string(),
  token1Name: z.string(),
  token1Symbol: z.string(),
  token0Decimals: z.int(),
  token1Decimals: z.int(),
  displayFlipped: z.boolean(),
  enabled: z.boolean(),
  feePercent: exactSchema,
  createdAt: z.string(),
  price: exactSchema.nullable().optional(),
  priceChangePct: exactSchema.nullable().optional(),
  priceUsd: exactSchema.nullable().optional(),
  tvlUsd: exactSchema.nullable().optional(),
  volumeUsd: exactSchema.nullable().optional(),
  token0Image: z.string().nullable().optional(),
  token1Image: z.string().nullable().optional(),
})

/** The specification does not say which of its fields are required. */
export const valuationSchema = z
  .object({
    price: exactSchema,
    decimals: z.int().nonnegative(),
    publishTime: z.int(),
    validUntil: z.int(),
    serverTime: z.int(),
    source: z.string(),
    corroborated: z.boolean(),
  })
  .partial()

export const explorePoolsPageSchema = z.object({
  data: z.array(explorePoolSchema),
  pagination: paginationSchema,
  valuation: valuationSchema.nullable().optional(),
})

/** Our choice for the explore reads other than pools: tokens, totals, transactions and search. Names are as in ExplorePool. */
export const exploreTokenSchema = z.object({
  id: z.string().min(1),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  image: z.string().nullable(),
  ammTokenProgram: z.string(),
  createdAt: z.string().describe('When the token was registered'),
  pools: z.int().describe('How many pools trade it'),
  priceUsd: exactSchema.nullable().describe('Null if no chain of pools connects the token to the stable one'),
  priceChangePct: exactSchema.nullable().describe('Since the window began'),
  tvl: exactSchema.describe('What all pools hold of it, in base units'),
  tvlUsd: exactSchema.nullable(),
  volume: exactSchema.describe('What was traded of it in the window, either way, in base units'),
  volumeUsd: exactSchema.nullable().describe('The same at its present price'),
})

export const exploreTokensPageSchema = z.object({
  data: z.array(exploreTokenSchema),
  pagination: paginationSchema,
})

export const exploreStatsBodySchema = z.object({
  data: z.object({
    observedBlock: observedBlockSchema,
    observedAt: z.string(),
    pools: z.int(),
    tokens: z.int(),
    swaps: z.int().describe('Since the first block; a swap through several pools counts once'),
    tvlUsd: exactSchema.describe('The sum over all pools whose value is known'),
    volumeUsd: exactSchema.describe('The sum over all pools whose volume is known, in the window'),
  }),
})

export const exploreTransactionSchema = z.object({
  id: z.string(),
  kind: z.enum(['swap', 'mint', 'burn']),
  user: z.string().nullable().describe('Who swapped, or whose position it is; null if that is private'),
  pool: z.string().describe('The key of the pool'),
  token0: z.string(),
  token1: z.string(),
  token0Symbol: z.string(),
  token1Symbol: z.string(),
  token0Decimals: z.int(),
  token1Decimals: z.int(),
  amount0: exactSchema.describe('What the pool got of token0, in base units; negative: what it gave'),
  amount1: exactSchema.describe('What the pool got of token1, in base units; negative: what it gave'),
  price: exactSchema.describe('Whole token1 for a whole token0, after the trade'),
  transaction: z.string(),
  block: z.int(),
  timestamp: z.string(),
})

export const exploreTransactionsPageSchema = z.object({
  data: z
    .array(exploreTransactionSchema)
    .describe('Newest first; a swap has one for each pool that it went through'),
  pagination: paginationSchema,
})

export const exploreSearchBodySchema = z.object({
  data: z.object({
    tokens: z.array(exploreTokenSchema),
    tokensTotal: z.int().describe('How many match'),
    pools: z.array(explorePoolSchema),
    poolsTotal: z.int().describe('How many match'),
  }),
})
