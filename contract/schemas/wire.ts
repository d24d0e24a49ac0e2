/**
 * Wire conventions, the frames of the feed, and the types that several records share. The stub validates and serializes with these
 * schemas; scenarios check responses against them (compiled ahead of time, see tools/generate.ts).
 */
import { z } from 'zod'

/** A canonical integer in base units. */
export const baseUnitsSchema = z.string().regex(/^(0|[1-9][0-9]*)$/)

/**
 * An integer in base units in a response: the ban on leading zeros is specified only for inputs. An amount that is hidden may be
 * empty.
 */
export const shownBaseUnitsSchema = z.string().regex(/^[0-9]*$/)

/** An amount of unspecified unit: a number without a sign, which only metrics may have. An amount that is hidden may be empty. */
export const shownAmountSchema = z.string().regex(/^([0-9]|$)/)

/** An exact figure in a response: a string, possibly signed, but not "NaN". The canonical form binds only inputs. */
export const exactSchema = z.string().regex(/[0-9]/)

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

export const clientFrameSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('authenticate'), token: z.string() }),
  z.object({ action: z.literal('subscribe'), room: z.string() }),
  z.object({ action: z.literal('unsubscribe'), room: z.string() }),
  z.object({ action: z.literal('synchronize') }),
])

export type ClientFrame = z.infer<typeof clientFrameSchema>

export const eventSchema = z.object({ type: z.string(), data: z.looseObject({}) })
export const controlSchema = z.object({ control: z.string() })

/** `revision` is a number or digits; the names inside `changes` are the specification's `scope` and `key`. */
export const configChangedSchema = z.object({
  type: z.literal('ProtocolConfigChanged'),
  data: z.looseObject({
    revision: revisionOnWireSchema,
    observed_block: revisionOnWireSchema,
  }),
})
