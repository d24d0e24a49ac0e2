/** The explore reads beside the pools: tokens, totals, transactions and search, decided. Names are as in ExplorePool. */
import { z } from 'zod'
import { explorePoolSchema } from './pools.ts'
import { exactSchema, observedBlockSchema, paginationSchema } from './wire.ts'

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
  priceUsd: exactSchema.nullable().describe('Null where no chain of pools ties the token to the stable one'),
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
  user: z.string().nullable().describe('Who swapped, or whose position it is; null where that is private'),
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
