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

/** Text as bytes, in a place that grows as it must and is used again. */
export type ByteWriter = { bytes: Buffer; length: number }

const ROOM_BYTES = 512 * 1024

const DIGIT_ZERO = 0x30
const MINUS_SIGN = 0x2d

/** Longer ones are left to String. */
const SHORT = 1e9
const SHORT_DIGITS = 9

/** Nothing written yet. */
export function createByteWriter(): ByteWriter {
  return { bytes: Buffer.allocUnsafe(ROOM_BYTES), length: 0 }
}

/** What was written, in the writer's own place; it is then empty, and writes over it. */
export function takeBytes(writer: ByteWriter): Buffer {
  const taken = writer.bytes.subarray(0, writer.length)
  writer.length = 0
  return taken
}

/** A byte, such as that of a letter of ASCII. */
export function writeByte(writer: ByteWriter, byte: number): void {
  makeRoom(writer, 1)
  writer.bytes[writer.length] = byte
  writer.length += 1
}

/** All of them. */
export function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  makeRoom(writer, bytes.length)
  writer.bytes.set(bytes, writer.length)
  writer.length += bytes.length
}

/** Any finite number, as JSON writes it. */
export function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isInteger(value) && value > -SHORT && value < SHORT) {
    writeShort(writer, value)
    return
  }
  const text = String(value)
  makeRoom(writer, text.length)
  writer.length += writer.bytes.write(text, writer.length, 'latin1')
}

function writeShort(writer: ByteWriter, value: number): void {
  makeRoom(writer, SHORT_DIGITS + 1)
  const { bytes } = writer
  let rest = value
  if (value < 0) {
    bytes[writer.length] = MINUS_SIGN
    writer.length += 1
    rest = -value
  }
  const start = writer.length
  let end = start + 1
  for (let left = rest; left >= 10; left = Math.floor(left / 10)) end += 1
  for (let at = end - 1; at >= start; at -= 1) {
    const tens = Math.floor(rest / 10)
    bytes[at] = DIGIT_ZERO + rest - 10 * tens
    rest = tens
  }
  writer.length = end
}

function makeRoom(writer: ByteWriter, more: number): void {
  const needed = writer.length + more
  if (needed <= writer.bytes.length) return
  const grown = Buffer.allocUnsafe(2 * needed)
  writer.bytes.copy(grown, 0, 0, writer.length)
  writer.bytes = grown
}
