/**
 * Numbers of a query, which come in canonical spelling only (specification, Wire conventions 3 to 5). What JSON schema can say
 * of them stands in their metadata, for the OpenAPI document; a test holds the two together.
 */

import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { baseUnitsSchema } from '../../contract/schemas/wire.ts'
import type { Choices } from '../choices/choices.ts'
import type { ExploreSort } from '../indexer/views/market-views.ts'

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

/** A text of so many characters, counted as a JSON schema counts them: by code points, not by UTF-16 units. */
export function textSchema({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine((text) => isOfLength(text, min, max), { error: `expected ${min} to ${max} characters` })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** There are at most as many code points as units, and at least half as many. */
function isOfLength(text: string, min: number, max: number): boolean {
  if (text.length <= max && text.length >= 2 * min) return true
  const count = [...text].length
  return count >= min && count <= max
}

/** The address of a wallet in a request, as it stands inside. Whether anybody has its key is not known here. */
export function walletAddress({ wire }: Choices) {
  return z
    .string()
    .regex(new RegExp(wire.walletPattern), 'expected the address of a wallet')
    .transform((text) => wire.address.decode(text) ?? text)
    .meta({ description: 'The address of a wallet' })
}

const WINDOWS = ['1h', '1d', '1w', '1m'] as const

/** The window of a query, with the default of the choices. */
export function windowSchema({ explorePools }: Choices) {
  return z
    .enum(WINDOWS)
    .default(explorePools.windowDefault)
    .describe('What figures are of: an hour to a month')
}

/** A text to search for, no longer than the choices allow. */
export function searchSchema({ explorePools }: Choices) {
  return textSchema({ max: explorePools.searchLengthMax })
}

/** A key, an id or an address as it is shown; all else is looked for as it comes. */
export function searchText(text: string | undefined, { wire }: Choices): string | undefined {
  if (!text) return undefined
  const meanings = [wire.poolKey, wire.tokenId, wire.address].map(({ decode }) => decode(text))
  return meanings.find((meaning) => meaning !== undefined && meaning !== text) ?? text
}

/** The query of an explore list: pools and tokens have the same, but for the bounds of `limit`. */
export function exploreQuerySchema(choices: Choices, page?: Parameters<typeof pageSchema>[1]) {
  const { sorts, sortDefault, orderDefault } = choices.explorePools
  return pageSchema(choices, page).extend({
    window: windowSchema(choices),
    sort: z
      .enum(Object.keys(sorts))
      .default(sortDefault)
      .transform((name) => sorts[name] as ExploreSort) // as: one of its keys
      .describe('The figure that rows are sorted by'),
    order: z.enum(['asc', 'desc']).default(orderDefault).describe('The lowest first, or the highest'),
    search: searchSchema(choices)
      .optional()
      .describe('Matches symbol, name, address and key or id, whatever the case'),
  })
}

/**
 * A compiler of validators that parse an empty query once: most reads come without one, and what comes of it is the same
 * each time, namely the defaults.
 */
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
