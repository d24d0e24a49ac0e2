import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLeanPoint, type LeanPoint, readFigures, readTime, setPoint } from './lean-point.ts'
import { createLineKeys } from './line-keys.ts'
import { readPoint } from './point.ts'
import { createSeriesSums } from './series-sums.ts'

const LINES = [
  '{"time":1767323045,"metric":"http_reqs","type":"counter","contains":"default","tags":{"name":"GET /pools"},"count":12,"sum":12}',
  '{"time":1767323045,"metric":"vus","type":"gauge","contains":"default","tags":{},"count":1,"sum":5.25,"min":-5.25,"max":5.25e2,"last":5}',
  '{"time":1767323045,"metric":"http_req_waiting","type":"trend","contains":"time","tags":{"name":"ü","status":"200"},"count":12,"sum":29.928830000000005,"min":0.401249,"max":1.204598,"zero":1,"buckets":[[-169,1],[-121,2],[0,1],[8191,7]],"negative":[[3,1],[4,12]]}',
]

test.each(LINES)('reads without making an object: %s', (text) => {
  expect(readLean(text)).toEqual(readPlainly(text))
})

test('whatever is put in place of a piece of a line: what is read is what parsing it gives', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      ',',
      '0',
      '-',
      '9',
      '1e999',
      '-1',
      '0.5',
      '[5,1]',
      ']',
      '}',
      '"',
      '8193',
      '"count":2,',
    ),
    fc.string({ maxLength: 3 }),
  )
  const spoiled = fc
    .record({ line: fc.constantFrom(...LINES), at: fc.nat(400), length: fc.nat(4), piece })
    .map(({ line, at, length, piece: put }) => line.slice(0, at) + put + line.slice(at + length))
  let leanReads = 0
  fc.assert(
    fc.property(spoiled, (text) => {
      const lean = readLean(text)
      if (lean === undefined) return
      leanReads += 1
      expect(lean).toEqual(readPlainly(text))
    }),
    { numRuns: 20_000 },
  )
  expect(leanReads).toBeGreaterThan(2000)
})

test.each([
  ['buckets that do not rise', 2, '[-121,2]', '[-169,2]'],
  ['buckets that fall', 2, '[-121,2]', '[-170,2]'],
  ['a bucket that is too high', 2, '[8191,7]', '[8193,7]'],
  ['a bucket that is too low', 2, '[-169,1]', '[-8193,1]'],
  ['negative buckets that do not rise', 2, '[4,12]', '[3,12]'],
  ['a sum beyond all numbers', 0, '"sum":12', '"sum":1e999'],
  ['a least beyond all numbers', 2, '"min":0.401249', '"min":-1e999'],
  ['a second beyond all dates', 0, '1767323045', '8640000000001'],
])('leaves %s to be found damaged', (_, index, from, to) => {
  const text = LINES[index]?.replace(from, to) ?? ''
  expect(readPlainly(text)).toBeUndefined()
  expect(readLean(text)).toBeUndefined()
})

type Read = { key: string; trial: string; figures: object }

const POINT = createLeanPoint()

/** Undefined where the line is left to be parsed. */
function readLean(text: string): Read | undefined {
  const cursor = { bytes: Buffer.from(`${text}\n`), at: 0 }
  const time = readTime(cursor)
  const key = time === -1 ? undefined : createLineKeys()(cursor, sums())
  if (key === undefined || !readFigures(cursor, key.type, POINT)) return undefined
  expect(cursor.at).toBe(cursor.bytes.length)
  return { key: key.sum.text, trial: key.trial, figures: { ...figuresOf(POINT), time } }
}

/** Undefined where it is no point. */
function readPlainly(text: string): Read | undefined {
  const read = readPoint({ text, number: 1, terminated: true }, 'file', () => true)
  if (read.kind !== 'point') return undefined
  const { time, tags } = read.point
  setPoint(POINT, read.point)
  return {
    key: sums().of(read.point).text,
    trial: tags.trial ?? '',
    figures: { ...figuresOf(POINT), time },
  }
}

function figuresOf({ buckets, negative, ...figures }: LeanPoint): object {
  return { ...figures, buckets: pairsOf(buckets), negative: pairsOf(negative) }
}

function pairsOf({ length, indexes, counts }: LeanPoint['buckets']): string {
  return [...indexes.subarray(0, length)].map((index, at) => `${index}: ${counts[at]}`).join(', ')
}

function sums() {
  return createSeriesSums({ without: new Set() })
}
