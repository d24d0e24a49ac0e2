import { z } from 'zod'
import { exactSchema, paginationSchema } from './wire.ts'

/** The plain pool record: the five fields that are stated; a target may send more. */
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

/** Which of its fields are required is not stated. */
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
