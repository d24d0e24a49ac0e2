import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { createLineParser } from './parse-line.ts'
import { sumPoint, trendPoint } from './test-points.ts'

/** In the middle of a file. */
function bytesOf(line: string) {
  const start = 3
  const buffer = Buffer.from(`x}\n${line}\n{"time":1}\n`)
  return { buffer, start, end: start + Buffer.byteLength(line) }
}

const ALL = () => true

function parse(line: string) {
  return createLineParser()(bytesOf(line), ALL)
}

/** With the fields in the order of k6's output. */
function encode(point: SeriesPoint): string {
  const { time, metric, type, contains, tags, ...values } = point
  return JSON.stringify({ time, metric, type, contains, tags, ...values })
}

const TAGS = { name: 'GET /pools', route_group: 'pools', status: '200' }
const TREND = trendPoint([0, 1.5, 2, 2e9], { metric: 'http_req_duration', tags: TAGS })
const LINES = [
  TREND,
  trendPoint([0.25, 0.1 + 0.2, 1e-7], { metric: 'http_req_since_due', tags: { name: 'GET /ü' } }),
  trendPoint([0], { metric: 'generator_lag' }),
  sumPoint(0.5, { metric: 'iterations', tags: { name: 'a","count":1' } }),
  sumPoint(1, { metric: 'http_req_failed', type: 'rate', time: 1795793819, tags: TAGS }),
].map(encode)

test.each(LINES)('reads %s', (line) => {
  expect(parse(line)).toEqual({ kind: 'point', point: JSON.parse(line) })
})

test('reads lines of several series in any order', () => {
  const read = createLineParser()
  for (const line of [...LINES, ...LINES, ...LINES.toReversed(), ...LINES])
    expect(read(bytesOf(line), ALL)).toEqual({ kind: 'point', point: JSON.parse(line) })
})

test('leaves to JSON.parse what it would have to keep too much for', () => {
  const read = createLineParser()
  const ofSeries = (name: string) => encode(sumPoint(1, { metric: 'iterations', tags: { name } }))
  const isRead = (name: string) => read(bytesOf(ofSeries(name)), ALL) !== undefined
  expect([isRead('x'.repeat(4000)), isRead('x'.repeat(5000))]).toEqual([true, false])
  for (let number = 1; number < 10_000; number++) isRead(`series ${number}`)
  expect([isRead('one too many'), isRead('series 1')]).toEqual([false, true])
})

test('reads only the second of a metric that is not needed', () => {
  expect(createLineParser()(bytesOf(LINES[0] ?? ''), () => false)).toEqual({ kind: 'unneeded', time: 1 })
})

const numbers = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
)
const texts = fc.oneof(
  numbers.map(String),
  fc.tuple(fc.integer(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
)

test('reads numbers exactly as JSON.parse does', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const line = inTrend('sum', text)
      expect(parse(line)).toEqual({ kind: 'point', point: JSON.parse(line) })
    }),
    { numRuns: 1000 },
  )
})

function inTrend(field: string, text: string): string {
  return encode(TREND).replace(new RegExp(`"${field}":(\\[\\[.*\\]\\]|[^,}]*)`), `"${field}":${text}`)
}

test.each([
  ['a gauge', encode({ ...sumPoint(1, { metric: 'vus', type: 'gauge' }), min: 1, max: 1, last: 1 })],
  ['negative samples', encode({ ...TREND, negative: [[1, 1]] })],
  ['an unknown field', encode(TREND).replace('"tags"', '"unit":"ms","tags"')],
  ['a counter with buckets', encode({ ...TREND, type: 'counter' })],
  ['a trend without buckets', encode(sumPoint(1, { metric: 'x', type: 'trend' }))],
  ['tags that are no texts', inTrend('status', '200')],
  ['a sum that is not finite', inTrend('sum', '1e999')],
  ['a padded number', inTrend('sum', '01')],
  ['a fraction without digits', inTrend('sum', '1.')],
  ['an exponent without digits', inTrend('sum', '1e+')],
  ['a count with a fraction', inTrend('count', '1.5')],
  ['a second that no date has', inTrend('time', '8640000000001')],
  ['indexes that do not rise', inTrend('buckets', '[[2,1],[2,1]]')],
  ['an index out of range', inTrend('buckets', '[[8193,1]]')],
  ['a padded index', inTrend('buckets', '[[01,1]]')],
  ['a negative zero', inTrend('buckets', '[[-0,1]]')],
  ['a negative count', inTrend('buckets', '[[1,-1]]')],
  ['a bucket without a count', inTrend('buckets', '[[1]]')],
  ['a comma too many', inTrend('buckets', '[[1,1],]')],
  ['no comma', inTrend('buckets', '[[1,1][2,1]]')],
  ['text after the end', `${encode(TREND)}x`],
  ['a line that breaks off', encode(TREND).slice(0, -1)],
  ['an end line', JSON.stringify({ type: 'end', time: '', samples: 0 })],
  ['nothing', ''],
])('leaves %s to JSON.parse', (_what, line) => {
  expect(parse(line)).toBeUndefined()
})

test('a damaged line is read as JSON.parse reads it, or left to it', () => {
  const signs = fc.constantFrom('', ...'0123456789-.,e[]{}":x')
  const damage = fc.record({ at: fc.nat(600), drop: fc.nat(3), put: signs })
  const damaged = fc.tuple(fc.constantFrom(...LINES), fc.array(damage, { minLength: 1, maxLength: 3 }))
  const read = createLineParser()
  fc.assert(
    fc.property(damaged, ([line, damages]) => {
      const text = damages.reduce((all, { at, drop, put }) => {
        const place = at % (all.length + 1)
        return all.slice(0, place) + put + all.slice(place + drop)
      }, line)
      const parsed = read(bytesOf(text), ALL)
      if (parsed !== undefined) expect(parsed).toEqual({ kind: 'point', point: JSON.parse(text) })
    }),
    { numRuns: 3000 },
  )
})
