/**
 * The shapes of the interface: what the stub validates and serialises with, and what scenarios check responses against
 * (compiled ahead, see tools/generate.ts). Wire conventions and the pieces that several records share.
 */
import { z } from 'zod'

/** A canonical integer in base units. */
export const baseUnitsSchema = z.string().regex(/^(0|[1-9][0-9]*)$/)

/** An integer in base units as responses have it: that no zeros lead is stated of inputs only. */
export const shownBaseUnitsSchema = z.string().regex(/^[0-9]+$/)

/** An amount whose unit is not stated: it has a number, and no sign, which only metrics may have. */
export const shownAmountSchema = z.string().regex(/^[0-9]/)

/** An exact figure in a response: a string, perhaps signed. The canonical form binds inputs only. */
export const exactSchema = z.string().min(1)

/** A revision or a block: a number, or digits. */
export const revisionOnWireSchema = z.union([z.int(), z.string().regex(/^[0-9]+$/)])

export const observedBlockSchema = z
  .int()
  .describe('The height of the last indexed block, as of which all of this is')

export const paginationSchema = z.object({ total: z.int(), limit: z.int(), offset: z.int() })

export const errorBodySchema = z.object({
  error: z.string(),
  code: z.string().nullable().optional(),
  ref: z.string().nullable().optional(),
})

export const tokenInfoSchema = z.object({
  address: z.string(),
  decimals: z.int(),
  id: z.string(),
  name: z.string(),
  symbol: z.string(),
  amm_token_program: z.string().optional(),
  image: z.string().optional(),
  underlying_program: z.string().optional(),
  underlying_token_id: z.string().optional(),
})
