/** Files are read as bytes, and their lines merged in place: against what parsing every line and adding objects up comes to. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bucket, GENERATOR_TAGS, type SeriesPoint } from '../../contract/series.ts'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { mergeSeries } from './append-series.ts'

const HEADER = '{"type":"header","format":1,"k6":"2.2.0","start":"1970-01-01T00:00:00.000Z","scale":7}\n'
const END = '{"type":"end","time":"1970-01-01T00:00:00.000Z","samples":0}\n'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-lean-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: 0, max: 5e9 }).map((nanoseconds) => nanoseconds / 1e6),
  fc.constantFrom(0, 1e21, 1e-7, Number.MAX_VALUE, 5e-324, 0.1, 123456789.12345678),
)
const count = fc.oneof(fc.nat({ max: 50 }), fc.constantFrom(0, 2 ** 40))
const buckets = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -8192, max: 8192 }), fc.integer({ min: 1, max: 1e6 })), {
    selector: ([index]) => index,
    minLength: 1,
    maxLength: 12,
  })
  .map((all): Bucket[] => all.sort(([a], [b]) => a - b))
const word = fc.oneof(
  fc.constantFrom('a', 'GET /pools', '},"count":', '"', '\\', 'ü', '\n', '1'),
  fc.string(),
)
const tags = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Record<string, string>>({}, { name: 'a' }, { name: 'b', trial: '1' }),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...GENERATOR_TAGS, 'name'), word), word) },
)
const common = {
  time: fc.integer({ min: 1, max: 4 }),
  count,
  sum: finite,
  tags,
  contains: fc.constantFrom('time', 'default'),
}
const range = { min: finite, max: finite }
const metric = fc.oneof(fc.constantFrom('http_reqs', 'vus', 'waiting'), word)
const trend = { ...common, ...range, metric, type: fc.constant('trend' as const), zero: count }
const point: fc.Arbitrary<SeriesPoint> = fc.oneof(
  fc.record({ ...common, metric, type: fc.constantFrom('counter' as const, 'rate' as const) }),
  fc.record({ ...common, ...range, metric, type: fc.constant('gauge' as const), last: finite }),
  fc.record({ ...trend, buckets: fc.oneof(buckets, fc.constant<Bucket[]>([])) }),
  fc.record({ ...trend, buckets, negative: buckets }),
)

/** Mostly as k6's output writes them; a part as somebody else may have. */
const line = fc
  .record({
    point,
    style: fc.oneof(
      { weight: 20, arbitrary: fc.constant('k6' as const) },
      { weight: 4, arbitrary: fc.constantFrom('reversed' as const, 'spaced' as const, 'escaped' as const) },
      { weight: 1, arbitrary: fc.constantFrom('damaged' as const, 'cut' as const) },
    ),
  })
  .map(({ point: all, style }) => textOf(inOrder(all), style))
const file = fc.record({
  lines: fc.array(fc.oneof({ weight: 12, arbitrary: line }, { weight: 1, arbitrary: fc.constant('') }), {
    maxLength: 25,
  }),
  ends: fc.boolean(),
  cut: fc.boolean(),
})

test('the same bytes, whatever the lines hold and however they are written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
      const texts = files.map(({ lines, ends, cut }) => {
        const text = HEADER + lines.map((each) => `${each}\n`).join('') + (ends ? END : '')
        return cut ? text.slice(0, -1) : text
      })
      const inputs = texts.map((_, index) => ({ file: path.join(dir, String(index)), name: String(index) }))
      for (const [index, text] of texts.entries()) await writeFile(path.join(dir, String(index)), text)
      const output = path.join(dir, 'merged')
      const { complete, samples } = await mergeSeries({
        inputs,
        output,
        version: '2.2.0',
        startMs: 0,
        nowMs: 0,
      })
      const plain = mergedPlainly(texts)
      expect(
        (await readFile(output, 'utf8')).split('\n').filter((each) => each.startsWith('{"time"')),
      ).toEqual(plain.lines)
      expect({ complete, samples }).toEqual({ complete: plain.complete, samples: plain.samples })
    }),
    { numRuns: IN_FULL ? 400 : 80 },
  )
})

type Style = 'k6' | 'reversed' | 'spaced' | 'escaped' | 'damaged' | 'cut'

function inOrder({ time, metric: name, type, contains, tags: all, ...figures }: SeriesPoint): SeriesPoint {
  const { count: samples, sum, min, max, last, zero, buckets: positive, negative } = figures
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  return JSON.parse(
    JSON.stringify({
      time,
      metric: name,
      type,
      contains,
      tags: sorted,
      count: samples,
      sum,
      min,
      max,
      last,
      zero,
      buckets: positive,
      negative,
    }),
  )
}

function textOf(all: SeriesPoint, style: Style): string {
  const text = JSON.stringify(all)
  if (style === 'reversed') return JSON.stringify(Object.fromEntries(Object.entries(all).reverse()))
  if (style === 'spaced') return text.replaceAll(':', ': ').replace('{', ' {')
  if (style === 'escaped') return text.replace('"metric":"', '"metric":"\\u0061')
  if (style === 'damaged') return text.replace('"sum":', '"sum":0')
  if (style === 'cut') return text.slice(0, -3)
  return text
}

/** One object a line. */
function mergedPlainly(texts: readonly string[]): { lines: string[]; samples: number; complete: boolean } {
  const read = texts.map(readPlainly)
  const left = read.map(({ points }) => [...points])
  const lines: string[] = []
  while (left.some((points) => points.length > 0)) {
    const second = Math.min(...left.flatMap((points) => points.slice(0, 1).map(({ time }) => time)))
    const sums = new Map<string, SeriesPoint>()
    for (const points of left) {
      for (; points[0]?.time === second; points.shift()) addPlainly(sums, points[0])
    }
    lines.push(...[...sums.values()].map((each) => JSON.stringify(inOrder(each))).sort())
  }
  return {
    lines,
    samples: read.flatMap(({ points }) => points).reduce((all, { count: samples }) => all + samples, 0),
    complete: read.every(({ ended }) => ended),
  }
}

function readPlainly(text: string): { points: SeriesPoint[]; ended: boolean } {
  const points: SeriesPoint[] = []
  for (const each of text.split('\n').slice(1)) {
    if (each === '') continue
    const parsed = parsedOr(each)
    if (parsed === undefined) break
    if (!('time' in parsed && 'metric' in parsed)) return { points, ended: true }
    points.push(parsed)
  }
  return { points, ended: false }
}

function parsedOr(text: string): SeriesPoint | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function addPlainly(sums: Map<string, SeriesPoint>, each: SeriesPoint): void {
  const kept = Object.fromEntries(
    Object.entries(each.tags)
      .filter(([name]) => !GENERATOR_TAGS.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  const key = JSON.stringify([each.metric, each.type, each.contains, kept])
  const before = sums.get(key)
  sums.set(key, before === undefined ? { ...each, tags: kept } : addedPlainly(before, each))
}

function addedPlainly(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  const sum = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, a.sum + b.sum))
  const all = { ...a, count: a.count + b.count, sum }
  if (a.min === undefined || b.min === undefined) return all
  const spread = { ...all, min: Math.min(a.min, b.min), max: Math.max(a.max ?? 0, b.max ?? 0) }
  if (a.type === 'gauge') return { ...spread, last: b.last ?? 0 }
  const negative = bucketsPlainly(a.negative, b.negative)
  return {
    ...spread,
    zero: (a.zero ?? 0) + (b.zero ?? 0),
    buckets: bucketsPlainly(a.buckets, b.buckets),
    ...(negative.length > 0 ? { negative } : {}),
  }
}

function bucketsPlainly(a: readonly Bucket[] = [], b: readonly Bucket[] = []): Bucket[] {
  const counts = new Map<number, number>()
  for (const [index, samples] of [...a, ...b]) counts.set(index, (counts.get(index) ?? 0) + samples)
  return [...counts].sort(([one], [other]) => one - other)
}
