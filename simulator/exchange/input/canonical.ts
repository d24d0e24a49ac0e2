/**
 * Numbers of a query, which come in canonical spelling only (specification, Wire conventions 3 to 5). What JSON schema can say
 * of them stands in their metadata, for the OpenAPI document; a test holds the two together.
 */
import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { baseUnitsSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'

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

/**
 * A regular expression for the integers from 1 to `max` in plain digits, no others: what a JSON schema has in place of bounds
 * where a number comes as text. One alternative for each digit in which a number may first be below `max`.
 */
export function digitsPattern(max: bigint): string {
  const digits = String(max)
  const shorter = digits.length > 1 ? [`[1-9]${repeated('[0-9]', digits.length - 2, 'at most')}`] : []
  const below = [...digits].flatMap((digit, place) => {
    const least = place === 0 ? 1 : 0
    const most = Number(digit) - 1
    if (most < least) return []
    const choice = most === least ? String(least) : `[${least}-${most}]`
    return [`${digits.slice(0, place)}${choice}${repeated('[0-9]', digits.length - place - 1)}`]
  })
  return `^(${[...shorter, ...below, digits].join('|')})$`
}

function repeated(piece: string, times: number, how: 'exactly' | 'at most' = 'exactly'): string {
  if (times === 0) return ''
  if (how === 'at most') return `${piece}{0,${times}}`
  return times === 1 ? piece : `${piece}{${times}}`
}
