import type { Cursor } from './bytes.ts'
import { isTags } from './point.ts'
import type { SeriesKey, SeriesSum, SeriesSums } from './series-sums.ts'

/** A key as a file writes it, and where its lines add up. */
export type LineKey = {
  /** Up to behind `"count":`. */
  text: Buffer
  type: string
  trial: string
  sum: SeriesSum
  /** That which came next, the last time. */
  next: LineKey | undefined
}

/**
 * Finds the key that stands at the cursor, and goes behind it, to the count; undefined where none stands there as k6's output writes
 * it. Most keys are found by a comparison: a second's lines come in the order of those of the second before.
 */
export type FindKey = (cursor: Cursor, sums: SeriesSums) => LineKey | undefined

/** Some of the lines of a second may be missing in the next. */
const GUESSES = 4

/** No text in JSON holds this: its quotes would be escaped. */
const KEY_END = Buffer.from('},"count":')
const COUNT = ',"count":'
const LINE_END = 0x0a

/** For the lines of one file. */
export function createLineKeys(): FindKey {
  const keys = new Map<string, LineKey>()
  let last: LineKey | undefined
  let round = 0
  const find = ({ bytes, at }: Cursor, sums: SeriesSums): LineKey | undefined => {
    const line = bytes.subarray(at, bytes.indexOf(LINE_END, at))
    const end = line.indexOf(KEY_END)
    if (end === -1) return undefined
    const length = end + KEY_END.length
    const text = line.toString('latin1', 0, length)
    const found = keys.get(text)
    if (found !== undefined) return found
    const key = keyOf(line.toString('utf8', 0, length - COUNT.length))
    if (key === undefined) return undefined
    const made: LineKey = {
      text: Buffer.from(line.subarray(0, length)),
      type: key.type,
      trial: key.tags.trial ?? '',
      sum: sums.of(key),
      next: undefined,
    }
    keys.set(text, made)
    return made
  }
  return (cursor, sums) => {
    if (round !== sums.round()) {
      round = sums.round()
      keys.clear()
      last = undefined
    }
    let key = guess(cursor, last)
    if (key === undefined) {
      key = find(cursor, sums)
      if (key === undefined) return undefined
      if (last !== undefined) last.next = key
    }
    last = key
    cursor.at += key.text.length
    return key
  }
}

function guess({ bytes, at }: Cursor, last: LineKey | undefined): LineKey | undefined {
  let key = last?.next
  for (let guesses = 0; guesses < GUESSES && key !== undefined; guesses += 1) {
    const { text } = key
    const end = at + text.length
    if (end <= bytes.length && bytes.compare(text, 0, text.length, at, end) === 0) return key
    key = key.next
  }
  return undefined
}

const FIELDS = 'metric type contains tags'

/** Undefined where it is not what tells a series, and nothing else. */
function keyOf(text: string): SeriesKey | undefined {
  try {
    const key: SeriesKey = JSON.parse(`{${text}}`)
    const isKey = Object.keys(key).join(' ') === FIELDS && typeof key.metric === 'string' && isTags(key.tags)
    return isKey ? key : undefined
  } catch {
    return undefined
  }
}
