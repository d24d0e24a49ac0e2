/**
 * Fields of open records that hold exact financial values. The specification does not name them, so only names that can hardly
 * mean anything else count.
 */

/** Compared without case, underscores and suffixes (`volume_usd_24h`, `amount0`, `sqrtPriceX96`). */
const EXACT = [
  ...['price', 'sqrt_price', 'amount', 'volume', 'liquidity', 'balance', 'reserve', 'tvl'],
  // Fields of swap records, owed positions and pools. A fee tier is an integer, and has another name.
  ...['input_amount', 'output_amount', 'amount_remaining', 'tokens_owed', 'fee'],
].map(normalize)
const SUFFIX = /(usd|in|out|0|1|x64|x96|x128|[0-9]{1,2}(h|d|w|m))$/
/** `volume0_usd_24h` */
const SUFFIXES_MAX = 3

/** Bounds what names of a hostile target may cost. */
const NAMES_MAX = 1000
const namesSeen: Record<string, boolean> = Object.create(null)
let names = 0

export function isExactName(name: string): boolean {
  // Hot path: every field of every event.
  const seen = namesSeen[name]
  if (seen !== undefined) return seen
  let plain = normalize(name)
  for (let suffix = 0; suffix < SUFFIXES_MAX; suffix++) plain = plain.replace(SUFFIX, '')
  const isExact = EXACT.includes(plain)
  if (names++ < NAMES_MAX) namesSeen[name] = isExact
  return isExact
}

function normalize(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** `misspelled`: those `texts` that are numbers in another form than the canonical one, such as `1e-3` or `+5`. */
type ExactFields = { texts: string[]; misspelled: string[]; numbers: string[] }

/** Paths of the financial fields of a body, grouped by JSON type. Other JSON types are ignored. */
export function exactFields(
  value: unknown,
  path = '',
  found: ExactFields = { texts: [], misspelled: [], numbers: [] },
): ExactFields {
  if (typeof value !== 'object' || value === null) return found
  const fields = value as Record<string, unknown> // as: JSON, whose names are its own
  const isCandle = isNumericCandle(fields)
  for (const name in fields) {
    const inner = fields[name]
    if (typeof inner === 'object') exactFields(inner, path === '' ? name : `${path}.${name}`, found)
    else if (isExactName(name) || (isCandle && CANDLE_NAMES.has(name))) {
      const here = path === '' ? name : `${path}.${name}`
      if (typeof inner === 'number') found.numbers.push(here)
      if (typeof inner !== 'string') continue
      found.texts.push(here)
      if (isMisspelled(inner)) found.misspelled.push(here)
    }
  }
  return found
}

/**
 * Problems of the financial fields of an event, which use the numeric wire format. An integer `fee` is left alone: the events of
 * the specification are open, and it may be a fee tier, which is an integer.
 */
export function findInexact(data: unknown): string[] {
  const { numbers, misspelled } = exactFields(data)
  const inexact = numbers.filter(
    (path) => path.split('.').at(-1) !== 'fee' || !Number.isInteger(valueAt(data, path)),
  )
  return [
    ...inexact.map((path) => `${path} is a JSON number`),
    ...misspelled.map((path) => `${path} has separators or other digits`),
  ]
}

function valueAt(data: unknown, path: string): unknown {
  // as: JSON, whose names are its own
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], data)
}

/**
 * Digits with separators, also Arabic, Persian and full-width digits: k6 does not support `\p{Nd}`. Other texts, such as one with a
 * unit, are not judged, nor are signs, exponents and leading zeros, which the conventions exclude only from inputs.
 */
const NUMERIC =
  /^-?[0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19][0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19.,'_ ]*$/
const ASCII = /^-?[0-9.]*$/

function isMisspelled(text: string): boolean {
  return NUMERIC.test(text) && !ASCII.test(text)
}

const CANDLES = [
  ['open', 'high', 'low', 'close'],
  ['o', 'h', 'l', 'c'],
]
const CANDLE_NAMES = new Set(CANDLES.flat())
/** A lone `open` or `close` may be a time. */
const CANDLE_PRICES_MIN = 3

function isNumericCandle(fields: Record<string, unknown>): boolean {
  return CANDLES.some((names) => {
    const numbers = names.filter((name) => typeof fields[name] === 'number')
    return numbers.length >= CANDLE_PRICES_MIN
  })
}
