/**
 * Query parameters; numbers are accepted in canonical spelling only (specification, Wire conventions 3 to 5). Metadata holds
 * their JSON schema for the OpenAPI document; a test checks that both agree.
 */

import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { baseUnitsSchema } from '../../contract/schemas/wire.ts'
import type { Choices } from '../choices/choices.ts'
import type { ExploreSort } from '../indexer/views/market-views.ts'

export const revisionSchema = canonicalInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** `limit` and `offset` of a list; default: a list without a stated maximum. */
export function pageSchema(
  { paging }: Choices,
  options: { limitMax?: number; aboveMax?: Choices['paging']['limitAboveMax'] } = {},
) {
  const { limitMax = paging.limitMaxElsewhere, aboveMax = paging.limitAboveMax } = options
  const limit = canonicalInteger({
    min: LIMITS.pageSizeMin,
    max: aboveMax === 'refused' ? limitMax : Number.MAX_SAFE_INTEGER,
  }).transform((value) => Math.min(value, limitMax))
  return z.object({
    limit: limit
      .default(paging.limitDefault)
      .describe(`Rows of a page, ${LIMITS.pageSizeMin} to ${limitMax}`),
    offset: canonicalInteger({ min: 0, max: paging.offsetMax }).default(0).describe('Rows before the page'),
  })
}

export function amountSchema({ amountInMax }: Choices) {
  const what = `an integer from 1 to ${amountInMax}`
  return canonicalDigits(what)
    .transform(BigInt)
    .refine((amount) => amount > 0n && amount <= amountInMax, expected(what))
    .meta({ pattern: digitsPattern(amountInMax), description: 'Base units' })
}

/** A number within inclusive bounds, in digits without a sign or a leading zero. */
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
 * Builds a regular expression for the integers from 1 to `max` in plain digits: JSON schema has no bounds for a number in a
 * string. One alternative for each digit at which a number can first be less than `max`.
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

/** A text of bounded length in code points, as in JSON schema, not in UTF-16 units. */
export function textSchema({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine((text) => isOfLength(text, min, max), { error: `expected ${min} to ${max} characters` })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** Counts code points only if necessary: there are at most as many as units, and at least half as many. */
function isOfLength(text: string, min: number, max: number): boolean {
  if (text.length <= max && text.length >= 2 * min) return true
  const count = [...text].length
  return count >= min && count <= max
}

export function walletAddress({ wire }: Choices) {
  return z
    .string()
    .regex(new RegExp(wire.walletPattern), 'expected the address of a wallet')
    .transform((text) => wire.address.decode(text) ?? text)
    .meta({ description: 'The address of a wallet' })
}

const WINDOWS = ['1h', '1d', '1w', '1m'] as const

export function windowSchema({ explorePools }: Choices) {
  return z
    .enum(WINDOWS)
    .default(explorePools.windowDefault)
    .describe('Window of the figures: an hour to a month')
}

export function searchSchema({ explorePools }: Choices) {
  return textSchema({ max: explorePools.searchLengthMax })
}

/** Query of an explore list: equal for pools and tokens except for the maximum `limit`. */
export function exploreQuerySchema(choices: Choices, page?: Parameters<typeof pageSchema>[1]) {
  const { sorts, sortDefault, orderDefault } = choices.explorePools
  return pageSchema(choices, page).extend({
    window: windowSchema(choices),
    sort: z
      .enum(Object.keys(sorts))
      .default(sortDefault)
      .transform((name) => sorts[name] as ExploreSort) // as: one of its keys
      .describe('The sort key'),
    order: z.enum(['asc', 'desc']).default(orderDefault).describe('Ascending or descending'),
    search: searchSchema(choices)
      .optional()
      .describe('Matches symbol, name, address and key or id, case-insensitively'),
  })
}

/** A validator compiler that parses an empty query once: most reads have no query, and the result is always the defaults. */
export function parseEmptyOnce<Schema>(
  compile: FastifySchemaCompiler<Schema>,
): FastifySchemaCompiler<Schema> {
  return (route) => {
    const validate = compile(route)
    if (route.httpPart !== 'querystring') return validate
    let ofEmpty: ReturnType<typeof validate> | undefined
    return (query: unknown) => {
      for (const _name in query as object) return validate(query)
      ofEmpty ??= validate(query)
      return ofEmpty
    }
  }
}
