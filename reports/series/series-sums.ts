import type { SeriesPoint } from '../../contract/series.ts'
import { addBucketList, type BucketCounts, createBucketCounts } from '../statistics/histogram.ts'
import { type ByteWriter, writeByte, writeBytes, writeNumber } from './bytes.ts'
import type { LeanPoint } from './lean-point.ts'

/** What tells one series from another. */
export type SeriesKey = Pick<SeriesPoint, 'metric' | 'type' | 'contains' | 'tags'>

/** The sums of a second, series by series; the second after it takes the same places. */
export type SeriesSums = {
  /** The place of a series: it holds until the `round` is another. */
  of(key: SeriesKey): SeriesSum
  round(): number
  /** Exact, as bucket counts add up. */
  add(to: SeriesSum, point: LeanPoint): void
  /**
   * Writes lines as k6's output writes and sorts them, the same sums as the same bytes, and answers how many samples they tell of;
   * then begins anew.
   */
  writeLines(second: number, writer: ByteWriter): number
}

/** Series that come and go are forgotten from time to time: what is held does not grow with the length of a run. */
const PLACES_MAX = 10_000
const ASKED_MAX = 200_000

/** `without` are tags that are left out, so that series that differ by nothing else become one. */
export function createSeriesSums({ without }: { without: ReadonlySet<string> }): SeriesSums {
  const places = new Map<string, SeriesSum>()
  let used: SeriesSum[] = []
  let asked = 0
  let round = 0
  return {
    of({ metric, type, contains, tags }) {
      asked += 1
      const key = { metric, type, contains, tags: tagsWithout(tags, without) }
      const text = JSON.stringify(key).slice(1, -1)
      const found = places.get(text)
      if (found !== undefined) return found
      const made = createSum(text, type === 'trend')
      places.set(text, made)
      return made
    },
    round: () => round,
    add(to, point) {
      if (to.lines === 0) used.push(to)
      addLine(to, point)
    },
    writeLines(second, writer) {
      let samples = 0
      for (const sum of used.sort((a, b) => (a.text < b.text ? -1 : 1))) {
        writeSum(sum, second, writer)
        samples += sum.count
        clearSum(sum)
      }
      used = []
      if (places.size > PLACES_MAX || asked > ASKED_MAX) {
        places.clear()
        asked = 0
        round += 1
      }
      return samples
    },
  }
}

function tagsWithout(tags: SeriesPoint['tags'], without: ReadonlySet<string>): SeriesPoint['tags'] {
  const names = Object.keys(tags)
    .filter((name) => !without.has(name))
    .sort()
  return Object.fromEntries(names.map((name) => [name, tags[name] ?? '']))
}

const TIME = Buffer.from('{"time":')
const COUNT = Buffer.from(',"count":')
const SUM = Buffer.from(',"sum":')
const MIN = Buffer.from(',"min":')
const MAX = Buffer.from(',"max":')
const LAST = Buffer.from(',"last":')
const ZERO = Buffer.from(',"zero":')
const BUCKETS = Buffer.from(',"buckets":[')
const NEGATIVE = Buffer.from(',"negative":[')
const LINE_END = Buffer.from('}\n')

/** Writes it as k6's output writes a line. */
function writeSum(sum: SeriesSum, second: number, writer: ByteWriter): void {
  writeKnown(writer, TIME, second)
  writeByte(writer, COMMA)
  writeBytes(writer, sum.bytes)
  writeKnown(writer, COUNT, sum.count)
  writeKnown(writer, SUM, sum.sum)
  writeKnown(writer, MIN, sum.min)
  writeKnown(writer, MAX, sum.max)
  writeKnown(writer, LAST, sum.last)
  if (sum.isTrend) {
    writeKnown(writer, ZERO, sum.zero)
    writeBuckets(writer, BUCKETS, sum.buckets)
    if (sum.negative.counts.some((count) => count > 0)) writeBuckets(writer, NEGATIVE, sum.negative)
  }
  writeBytes(writer, LINE_END)
}

function writeKnown(writer: ByteWriter, name: Buffer, value: number): void {
  if (Number.isNaN(value)) return
  writeBytes(writer, name)
  writeNumber(writer, value)
}

const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA = 0x2c

function writeBuckets(writer: ByteWriter, name: Buffer, { first, counts }: BucketCounts): void {
  writeBytes(writer, name)
  let isFirst = true
  for (let position = 0; position < counts.length; position += 1) {
    const count = counts[position] ?? 0
    if (count === 0) continue
    if (!isFirst) writeByte(writer, COMMA)
    isFirst = false
    writeByte(writer, OPEN)
    writeNumber(writer, first + position)
    writeByte(writer, COMMA)
    writeNumber(writer, count)
    writeByte(writer, CLOSE)
  }
  writeByte(writer, CLOSE)
}

/** What the lines of one series add up to in the second that is being read. */
export type SeriesSum = Pick<LeanPoint, 'count' | 'sum' | 'min' | 'max' | 'last' | 'zero'> & {
  /** Its key, as it stands in a line. */
  text: string
  bytes: Buffer
  isTrend: boolean
  lines: number
  buckets: BucketCounts
  negative: BucketCounts
}

/** Of no line yet; `text` is its key. */
function createSum(text: string, isTrend: boolean): SeriesSum {
  return {
    text,
    bytes: Buffer.from(text),
    isTrend,
    lines: 0,
    count: 0,
    sum: 0,
    min: Number.NaN,
    max: Number.NaN,
    last: Number.NaN,
    zero: Number.NaN,
    buckets: createBucketCounts(),
    negative: createBucketCounts(),
  }
}

/** Adds a line, exactly, as bucket counts add up. Of gauges, `last` is that of the later line: of several load generators, that of the one named last. */
function addLine(to: SeriesSum, point: LeanPoint): void {
  if (to.lines === 0) {
    to.count = point.count
    to.sum = point.sum
    to.min = point.min
    to.max = point.max
    to.last = point.last
    to.zero = point.zero
  } else {
    to.count += point.count
    to.sum = finite(to.sum + point.sum)
    to.min = Number.isNaN(to.min) || point.min < to.min ? point.min : to.min
    to.max = Number.isNaN(to.max) || point.max > to.max ? point.max : to.max
    to.last = Number.isNaN(point.last) ? to.last : point.last
    to.zero += point.zero
  }
  to.lines += 1
  if (point.buckets.length > 0) addBucketList(to.buckets, point.buckets)
  if (point.negative.length > 0) addBucketList(to.negative, point.negative)
}

/** Of no line again. */
function clearSum(sum: SeriesSum): void {
  sum.lines = 0
  sum.buckets.counts.fill(0)
  sum.negative.counts.fill(0)
}

/** A sum that overflows stays within what JSON can say. */
function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}
