/** Numbers of a query, which come in canonical spelling only (specification, Wire conventions 3 to 5). */
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { baseUnitsSchema } from '../../contract/schemas/wire.ts'
import { CHOICES } from '../choices.ts'

export const limitSchema = canonicalInteger({ min: LIMITS.pageSizeMin, max: LIMITS.pageSizeMax })
export const offsetSchema = canonicalInteger({ min: 0, max: CHOICES.paging.offsetMax })
export const revisionSchema = canonicalInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** `limit` and `offset` of every list. */
export const pageSchema = z.object({
  limit: limitSchema.default(CHOICES.paging.limitDefault),
  offset: offsetSchema.default(0),
})

/** An amount in base units above 0. */
export const amountSchema = canonicalDigits('an integer above 0, below 2^128')
  .transform(BigInt)
  .refine(
    (amount) => amount > 0n && amount <= CHOICES.amountInMax,
    expected('an integer above 0, below 2^128'),
  )

export function canonicalInteger(bounds: { min: number; max: number }) {
  const what = `an integer from ${bounds.min} to ${bounds.max}`
  return canonicalDigits(what)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, expected(what))
}

function canonicalDigits(what: string) {
  return z
    .string(expected(what))
    .refine((text) => baseUnitsSchema.safeParse(text).success, { ...expected(what), abort: true })
}

function expected(what: string) {
  return { error: `expected ${what}, in plain digits` }
}
