/**
 * A fast path for lines as k6 writes them, read from their bytes: JSON.parse and the checks after it took a third of the
 * time of a report. Lines that it does not know exactly are left to JSON.parse.
 */
import type { Bucket, SeriesPoint } from '../../contract/series.ts'
import type { Bytes } from '../run-lines.ts'
import { BUCKET_INDEX_MAX } from '../statistics/histogram.ts'

/** A counter, a rate, or a trend without negative samples; of a metric that is not needed, only the second. */
type Parsed = { kind: 'point'; point: SeriesPoint } | { kind: 'unneeded'; time: number }

/** Returns what JSON.parse would; undefined: leave it to JSON.parse. */
export type LineParser = (bytes: Bytes, isNeeded: (metric: string) => boolean) => Parsed | undefined

type Head = Pick<SeriesPoint, 'metric' | 'type' | 'contains' | 'tags'>

/** The part that all lines of a series have between their second and their count, and the series that came next before. */
type Known = Head & { bytes: Buffer; next: Known | undefined }

/** Custom tags can create unlimited series, and a hostile file tags of any length. */
const KNOWN_MAX = 10_000
const HEAD_BYTES_MAX = 4096

/** One per file: k6 writes its series in the same order in each second. */
export function createLineParser(): LineParser {
  const cursor = new Cursor()
  const known = new Map<string, Known>()
  let last: Known | undefined

  /** Null also if too many are known: one that is not kept must not be the next of another. */
  const add = (text: string, fields: Buffer): Known | null => {
    if (known.size >= KNOWN_MAX) return null
    const made = readKnown(fields)
    if (made !== null) known.set(text, made)
    return made
  }
  const findKnown = ({ buffer, end }: Bytes): Known | null => {
    const guess = last?.next
    if (guess !== undefined && cursor.skip(guess.bytes)) return guess
    // Only in this line: the next one may be far away.
    const rest = buffer.subarray(cursor.at, Math.min(end, cursor.at + HEAD_BYTES_MAX))
    const length = rest.indexOf(COUNT)
    if (length === -1) return null
    const text = rest.toString('latin1', 0, length)
    const found = known.get(text) ?? add(text, rest.subarray(0, length))
    if (found === null) return null
    if (last !== undefined) last.next = found
    cursor.at += length + COUNT.length
    return found
  }

  return (bytes, isNeeded) => {
    cursor.enter(bytes)
    if (!cursor.skip(TIME)) return undefined
    const time = cursor.readInteger()
    if (!(time <= SECOND_MAX) || !cursor.skipSign(COMMA)) return undefined
    const head = findKnown(bytes)
    if (head === null) return undefined
    last = head
    if (!isNeeded(head.metric)) return cursor.endsWith(END) ? { kind: 'unneeded', time } : undefined
    const point = readValues(cursor, time, head)
    return point && { kind: 'point', point }
  }
}

/** As in point.ts: a Unix time that Date can represent. */
const SECOND_MAX = 8.64e12

function readKnown(fields: Buffer): Known | null {
  try {
    const parsed: unknown = JSON.parse(`{${fields.toString('utf8')}}`)
    const { metric, type, contains, tags, ...others } = parsed as Head // as: checked below
    if (Object.keys(others).length > 0 || ![metric, type, contains].every(isText)) return null
    if (typeof tags !== 'object' || tags === null || Array.isArray(tags)) return null
    if (!Object.values(tags).every(isText)) return null
    const bytes = Buffer.concat([fields, COUNT])
    // All points of the series share the tags.
    return { metric, type, contains, tags: Object.freeze(tags), bytes, next: undefined }
  } catch {
    return null
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function readValues(cursor: Cursor, time: number, head: Head): SeriesPoint | undefined {
  const { metric, type, contains, tags } = head
  const count = cursor.readInteger()
  if (!cursor.skip(SUM)) return undefined
  const sum = cursor.readNumber()
  if (!Number.isFinite(count + sum)) return undefined
  if (type !== 'trend')
    return cursor.skipSign(END) && cursor.isAtEnd()
      ? { time, metric, type, contains, tags, count, sum }
      : undefined
  if (!cursor.skip(MIN)) return undefined
  const min = cursor.readNumber()
  if (!cursor.skip(MAX)) return undefined
  const max = cursor.readNumber()
  if (!cursor.skip(ZERO)) return undefined
  const zero = cursor.readInteger()
  if (!Number.isFinite(min + max + zero) || !cursor.skip(BUCKETS)) return undefined
  const buckets = readBuckets(cursor)
  if (buckets === undefined || !cursor.skipSign(END) || !cursor.isAtEnd()) return undefined
  return { time, metric, type, contains, tags, count, sum, min, max, zero, buckets }
}

/** After the first bracket, up to the last; by rising index. */
function readBuckets(cursor: Cursor): Bucket[] | undefined {
  const buckets: Bucket[] = []
  if (cursor.skipSign(CLOSE)) return buckets
  let before = -BUCKET_INDEX_MAX - 1
  for (;;) {
    if (!cursor.skipSign(OPEN)) return undefined
    const isNegative = cursor.skipSign(MINUS)
    const size = cursor.readInteger()
    const index = isNegative ? -size : size
    // Also if it is no number, or -0, which JSON.parse reads.
    if (!(index > before && index <= BUCKET_INDEX_MAX) || (isNegative && size === 0)) return undefined
    before = index
    if (!cursor.skipSign(COMMA)) return undefined
    const count = cursor.readInteger()
    if (!Number.isFinite(count) || !cursor.skipSign(CLOSE)) return undefined
    buckets.push([index, count])
    if (cursor.skipSign(CLOSE)) return buckets
    if (!cursor.skipSign(COMMA)) return undefined
  }
}

const [TIME, COUNT, SUM] = [Buffer.from('{"time":'), Buffer.from(',"count":'), Buffer.from(',"sum":')]
const [MIN, MAX, ZERO] = [Buffer.from(',"min":'), Buffer.from(',"max":'), Buffer.from(',"zero":')]
const BUCKETS = Buffer.from(',"buckets":[')
const [POINT, MINUS, PLUS, COMMA] = [0x2e, 0x2d, 0x2b, 0x2c]
const [OPEN, CLOSE, END] = [0x5b, 0x5d, 0x7d]
const [SMALL_E, LARGE_E, DIGIT_0] = [0x65, 0x45, 0x30]

/** Numbers of as many digits are exact, and so are the powers of ten below. */
const DIGITS_MAX = 15
const POWERS = Array.from({ length: DIGITS_MAX + 1 }, (_, power) => 10 ** power)

/** A place in a line. Numbers are read by the grammar of JSON; NaN: nothing to read there. */
class Cursor {
  at = 0
  #buffer: Uint8Array = new Uint8Array(0)
  #end = 0
  /** Value of the digits that were read last, if they are exact. */
  #value = 0

  enter({ buffer, start, end }: Bytes): void {
    this.#buffer = buffer
    this.at = start
    this.#end = end
  }

  isAtEnd(): boolean {
    return this.at === this.#end
  }

  endsWith(sign: number): boolean {
    return this.#buffer[this.#end - 1] === sign
  }

  skipSign(sign: number): boolean {
    if (this.at >= this.#end || this.#buffer[this.at] !== sign) return false
    this.at += 1
    return true
  }

  skip(bytes: Uint8Array): boolean {
    const { length } = bytes
    const start = this.at
    if (start + length > this.#end) return false
    for (let place = 0; place < length; place += 1)
      if (this.#buffer[start + place] !== bytes[place]) return false
    this.at = start + length
    return true
  }

  /** Not negative, and of at most 15 digits. */
  readInteger(): number {
    const start = this.at
    const length = this.#skipDigits(0)
    const isPadded = length > 1 && this.#buffer[start] === DIGIT_0
    return length === 0 || length > DIGITS_MAX || isPadded ? Number.NaN : this.#value
  }

  readNumber(): number {
    const start = this.at
    const isNegative = this.skipSign(MINUS)
    const whole = this.at
    const digits = this.#skipDigits(0)
    if (digits === 0 || (digits > 1 && this.#buffer[whole] === DIGIT_0)) return Number.NaN
    const hasFraction = this.skipSign(POINT)
    const decimals = hasFraction ? this.#skipDigits(this.#value) : 0
    if (hasFraction && decimals === 0) return Number.NaN
    const hasExponent = this.skipSign(SMALL_E) || this.skipSign(LARGE_E)
    if (!hasExponent && digits + decimals <= DIGITS_MAX) {
      // One division of exact numbers is rounded as JSON.parse rounds.
      const size = this.#value / (POWERS[decimals] ?? 1)
      return isNegative ? -size : size
    }
    if (hasExponent) {
      if (!this.skipSign(PLUS)) this.skipSign(MINUS)
      if (this.#skipDigits(0) === 0) return Number.NaN
    }
    return Number(
      Buffer.from(this.#buffer.buffer, this.#buffer.byteOffset + start, this.at - start).toString('latin1'),
    )
  }

  /** Returns how many there are; their value continues `value`. */
  #skipDigits(value: number): number {
    const start = this.at
    this.#value = value
    for (; this.at < this.#end; this.at += 1) {
      const digit = (this.#buffer[this.at] ?? 0) - DIGIT_0
      if (digit < 0 || digit > 9) break
      this.#value = 10 * this.#value + digit
    }
    return this.at - start
  }
}
