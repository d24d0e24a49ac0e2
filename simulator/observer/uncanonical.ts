import { queryOf } from './url-parts.ts'

/** Integers of queries, wherever they are taken. */
const NUMBERS: ReadonlySet<string> = new Set(['limit', 'offset', 'amount_in', 'minimum_revision'])
const CANONICAL = /^(0|[1-9][0-9]*)$/
/** In any script: a text without one is no number in another form. */
const DIGIT = /\p{Nd}/u
const SHOWN_MAX = 60

/** The numbers of a refused request that are not in canonical form, as `name=text`. */
export function uncanonicalNumbers({ url, body }: { url: string; body: unknown }): string[] {
  const inQuery = queryOf(url).filter(([name]) => NUMBERS.has(name))
  const amount = (body as { amount?: unknown } | null | undefined)?.amount
  const isNumber = typeof amount === 'number'
  const inBody: [string, string][] =
    typeof amount === 'string' || isNumber ? [['amount', String(amount)]] : []
  return [...inQuery, ...inBody]
    .filter(([name, text]) => (name === 'amount' && isNumber) || (DIGIT.test(text) && !CANONICAL.test(text)))
    .map(([name, text]) =>
      name === 'amount' && isNumber ? `${name} as a JSON number` : `${name}=${text.slice(0, SHOWN_MAX)}`,
    )
}
