/**
 * Bytes, and where reading of them stands. They end with a line end, which no number and no text that is looked for holds: so
 * nothing reads beyond them.
 */
export type Cursor = { bytes: Buffer; at: number }

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e

/** Every integer below is exact, and so is every power of ten up to 22: their quotient is the number nearest to the decimal (Clinger, 1990). */
const EXACT_DIGITS = 15
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power)

/** A whole number from zero on, as JSON writes it; -1, and the cursor stays, where none of at most 15 digits stands there. */
export function readCount(cursor: Cursor): number {
  const { bytes, at: start } = cursor
  let at = start
  let value = 0
  for (;;) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
    at += 1
  }
  const length = at - start
  if (length === 0 || length > EXACT_DIGITS || (length > 1 && bytes[start] === ZERO)) return -1
  cursor.at = at
  return value
}

/** Any number that JSON can write; NaN, and the cursor stays, where none stands there. */
export function readNumber(cursor: Cursor): number {
  const { bytes, at: start } = cursor
  const first = bytes[start] === MINUS ? start + 1 : start
  let at = first
  let digits = 0
  let pointAt = -1
  for (;;) {
    const byte = bytes[at] ?? 0
    const digit = byte - ZERO
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (byte === POINT && pointAt === -1) pointAt = at
    else break
    at += 1
  }
  const decimals = pointAt === -1 ? 0 : at - pointAt - 1
  const whole = (pointAt === -1 ? at : pointAt) - first
  const isPlain =
    whole > 0 &&
    (whole === 1 || bytes[first] !== ZERO) &&
    (pointAt === -1 || decimals > 0) &&
    isEnd(bytes[at])
  if (!isPlain) return readOther(cursor)
  cursor.at = at
  if (whole + decimals > EXACT_DIGITS) return Number(bytes.toString('latin1', start, at))
  const value = digits / (POWERS_OF_TEN[decimals] ?? 1)
  return first === start ? value : -value
}

/** One with an exponent, or none. */
function readOther(cursor: Cursor): number {
  const { bytes, at: start } = cursor
  let at = start
  while (!isEnd(bytes[at])) at += 1
  const text = bytes.toString('latin1', start, at)
  const value = JSON_NUMBER.test(text) ? Number(text) : Number.NaN
  if (!Number.isNaN(value)) cursor.at = at
  return value
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** What may stand behind a number, and the line end. */
const ENDS = new Uint8Array(256)
for (const end of ',}]\n') ENDS[end.charCodeAt(0)] = 1

function isEnd(byte = 0): boolean {
  return ENDS[byte] === 1
}

/** Whether the text stands at the cursor, which then goes behind it. */
export function skip(cursor: Cursor, text: Uint8Array): boolean {
  const { bytes, at } = cursor
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[at + index] !== text[index]) return false
  }
  cursor.at = at + text.length
  return true
}
