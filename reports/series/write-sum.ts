import type { BucketCounts } from '../statistics/bucket-counts.ts'
import { type ByteWriter, writeByte, writeBytes, writeNumber } from './byte-writer.ts'
import type { SeriesSum } from './series-sum.ts'

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
export function writeSum(sum: SeriesSum, second: number, writer: ByteWriter): void {
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
