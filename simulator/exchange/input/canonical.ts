/**
 * Numbers of a query, which come in canonical spelling only (specification, Wire conventions 3 to 5). What JSON schema can say
 * of them stands in their metadata, for the OpenAPI document; a test holds the two together.
 */
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { baseUnitsSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { digitsPattern } from './digits-pattern.ts'

export const revisionSchema = canonicalInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** `limit` and `offset` of a list; without options, of one for which the specification states no bound. */
export function pageSchema(
  { paging }: Choices,
  options: { limitMax?: number; aboveMax?: Choices['paging']['limitAboveMax'] } = {},
) {
  const { limitMax = paging.limitMaxElsewhere, aboveMax = paging.limitAboveMax } = options
  const limit = canonicalInteger({
    min: LIMITS.pageSizeMin,
    max: aboveMax === 'refused' ? limitMax : Number.MAX_SAFE_INTEGER,
  }).transform((asked) => Math.min(asked, limitMax))
  return z.object({
    limit: limit
      .default(paging.limitDefault)
      .describe(`Rows of a page, ${LIMITS.pageSizeMin} to ${limitMax}`),
    offset: canonicalInteger({ min: 0, max: paging.offsetMax }).default(0).describe('Rows before the page'),
  })
}

/** An amount in base units above 0. */
export function amountSchema({ amountInMax }: Choices) {
  const what = `an integer from 1 to ${amountInMax}`
  return canonicalDigits(what)
    .transform(BigInt)
    .refine((amount) => amount > 0n && amount <= amountInMax, expected(what))
    .meta({ pattern: digitsPattern(amountInMax), description: 'Base units' })
}

/** A number within bounds, both included, in digits without a sign or a leading zero. */
export function canonicalInteger(bounds: { min: number; max: number }) {
  const what = `an integer from ${bounds.min} to ${bounds.max}`
  return canonicalDigits(what)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, expected(what))
    .meta({ type: 'integer', minimum: bounds.min, maximum: bounds.max })
}

function canonicalDigits(what: string) {
  return z
    .string(expected(what))
    .refine((text) => baseUnitsSchema.safeParse(text).success, { ...expected(what), abort: true })
}

function expected(what: string) {
  return { error: `expected ${what}, in plain digits` }
}
