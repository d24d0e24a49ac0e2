import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GENERATOR_TAG, type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { computeQuantile } from '../statistics/histogram.ts'
import { bucketSamples, SYNTHETIC_START } from '../synthetic-run.ts'
import { mergeSeries } from './append-series.ts'
import { readSeries } from './read-series.ts'

const HEADER = '{"type":"header","format":2,"k6":"2.2.0","start":"2026-01-02T03:04:05.000Z","scale":7}'
const END = '{"type":"end","time":"2026-01-02T03:05:05.000Z","samples":8}'

const POINT: SeriesPoint = {
  time: SYNTHETIC_START,
  metric: 'iterations',
  type: 'counter',
  contains: 'default',
  tags: {},
  count: 1,
  sum: 1,
}

/** Half a bucket width, plus floating-point error. */
const QUANTILE_ERROR = 2 ** (0.5 / 128) - 1 + 1e-9

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-merge-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

type Sample = { second: number; route: string; ms: number; generator: number }

// Sums of such values are exact in floating point, in whatever order.
const milliseconds = fc.integer({ min: 0, max: 60_000 * 64 }).map((count) => count / 64)
const samples = fc.array(
  fc.record({
    second: fc.integer({ min: 0, max: 4 }),
    route: fc.constantFrom('GET /pools', 'GET /swaps'),
    ms: milliseconds,
    generator: fc.integer({ min: 0, max: 2 }),
  }),
  { minLength: 1, maxLength: 300 },
)

test('splitting a stream in three and merging it restores every byte', async () => {
  await fc.assert(
    fc.asyncProperty(samples, async (all) => {
      await write('whole', buildPoints(all))
      await mergeFiles(['whole'], 'of-whole')
      for (const part of [0, 1, 2]) {
        await write(`part-${part}`, buildPoints(all.filter(({ generator }) => generator === part)))
      }
      const merged = await mergeFiles(['part-0', 'part-1', 'part-2'], 'of-parts')
      expect(merged).toMatchObject({ samples: all.length, complete: true, notes: [] })
      expect(await read('of-parts')).toBe(await read('of-whole'))
      expect((await read('of-parts')).split('\n')).toHaveLength(new Set(all.map(buildSeriesKey)).size + 3)
    }),
    { numRuns: IN_FULL ? 60 : 20 },
  )
})

test('percentiles after a merge match those of the samples, within a bucket', async () => {
  await fc.assert(
    fc.asyncProperty(samples, fc.double({ min: 0, max: 1, noNaN: true }), async (all, quantile) => {
      for (const part of [0, 1, 2]) {
        await write(`part-${part}`, buildPoints(all.filter(({ generator }) => generator === part)))
      }
      await mergeFiles(['part-0', 'part-1', 'part-2'], 'merged')
      const { series } = await readSeries(path.join(dir, 'merged'))
      for (const { name, latency } of series.routes.values()) {
        const values = all.filter(({ route }) => route === name).map(({ ms }) => ms)
        const exact = nearestRank(values, quantile)
        expect(latency.count).toBe(values.length)
        expect(Math.abs((computeQuantile(latency, quantile) ?? Number.NaN) - exact)).toBeLessThanOrEqual(
          exact * QUANTILE_ERROR,
        )
      }
    }),
    { numRuns: IN_FULL ? 60 : 20 },
  )
})

test('adds up counters, rates and gauges; keeps the last value of a gauge', async () => {
  const tags = { scenario: 'load' }
  const plain = (metric: string, type: SeriesPoint['type'], more: Partial<SeriesPoint>): SeriesPoint => ({
    ...{ time: SYNTHETIC_START, metric, type, contains: 'default', tags, count: 2, sum: 2 },
    ...more,
  })
  await write('a', [
    plain('checks', 'rate', { sum: 1 }),
    plain('iterations', 'counter', { count: 5, sum: 5 }),
    plain('vus', 'gauge', { sum: 7, min: 3, max: 4, last: 4 }),
  ])
  await write('b', [
    plain('checks', 'rate', {}),
    plain('iterations', 'counter', { count: 1, sum: 1 }),
    plain('vus', 'gauge', { count: 1, sum: 2, min: 2, max: 2, last: 2 }),
  ])
  await mergeFiles(['a', 'b'], 'merged')
  expect(await points('merged')).toEqual([
    plain('checks', 'rate', { count: 4, sum: 3 }),
    plain('iterations', 'counter', { count: 6, sum: 6 }),
    plain('vus', 'gauge', { count: 3, sum: 9, min: 2, max: 4, last: 2 }),
  ])
})

test('drops only the tags that distinguish k6 processes', async () => {
  for (const generator of ['1', '2']) {
    const tags = {
      [GENERATOR_TAG]: generator,
      instance_id: generator,
      job_name: `load-${generator}`,
      trial: '3',
    }
    await write(generator, [{ ...POINT, tags }])
  }
  await mergeFiles(['1', '2'], 'merged')
  expect(await points('merged')).toEqual([{ ...POINT, tags: { trial: '3' }, count: 2, sum: 2 }])
})

test('leaves out points of excluded trials in any notation', async () => {
  const of = (trial: string) => ({ ...POINT, tags: { trial } })
  const { time, ...others } = of('2')
  await write('a', [of('1'), of('2'), of('1'), { ...others, time }])
  const inputs = [{ file: path.join(dir, 'a'), name: 'a', withoutTrials: new Set(['2']) }]
  await mergeSeries({ inputs, output: path.join(dir, 'merged'), version: '2.2.0', startMs: 0, nowMs: 0 })
  expect(await points('merged')).toEqual([{ ...of('1'), count: 2, sum: 2 }])
})

test('a sum that overflows stays a number', async () => {
  await write('a', [{ ...POINT, sum: Number.MAX_VALUE }])
  await write('b', [{ ...POINT, sum: Number.MAX_VALUE }])
  await mergeFiles(['a', 'b'], 'merged')
  expect(await points('merged')).toEqual([{ ...POINT, count: 2, sum: Number.MAX_VALUE }])
})

test('keeps series apart whose concatenated texts are equal', async () => {
  const tags = [{ a: 'x 1 1 by' }, { a: 'x', b: 'y' }, { ax: '', b: 'y' }]
  const all = tags.map((each) => ({ ...POINT, tags: each }))
  await write('a', all)
  await write('b', all)
  await mergeFiles(['a', 'b'], 'merged')
  expect((await points('merged')).map((each) => [each.tags, each.count])).toEqual(
    expect.arrayContaining(tags.map((each) => [each, 2])),
  )
})

test('ignores a gauge without a number', async () => {
  const vus = JSON.stringify({ ...POINT, metric: 'vus', type: 'gauge' })
  await writeFile(
    path.join(dir, 'a'),
    `${HEADER}\n${vus.slice(0, -1)},"min":1e999,"max":"x","last":2}\n${END}\n`,
  )
  await mergeFiles(['a'], 'merged')
  expect(await points('merged')).toEqual([{ ...JSON.parse(vus), last: 2 }])
})

test('adds up negative values too', async () => {
  const trend = { ...POINT, type: 'trend' as const, min: -2, max: -2, zero: 0, buckets: [] }
  await write('a', [{ ...trend, negative: [[127, 1]] }])
  await write('b', [{ ...trend, negative: [[127, 1]] }])
  await write('c', [{ ...trend, min: 0, max: 0, zero: 1 }])
  await mergeFiles(['a', 'b', 'c'], 'merged')
  const sums = { count: 3, sum: 3, min: -2, max: 0, zero: 1, negative: [[127, 2]] }
  expect(await points('merged')).toEqual([{ ...trend, ...sums }])
})

test('a value of a custom metric that is too large for a histogram costs its line only', async () => {
  const wei = { ...POINT, metric: 'wei', type: 'trend' as const, min: 1e20, max: 1e20, zero: 0 }
  await write('a', [{ ...wei, buckets: [[8504, 1]] }, POINT])
  await write('b', [POINT])
  expect(await mergeFiles(['a', 'b'], 'merged')).toMatchObject({
    complete: true,
    notes: ['a has values of "wei" beyond 2^64 or 2^-64 at line 2: no such line was read.'],
  })
  expect((await points('merged')).map(({ metric, count }) => [metric, count])).toEqual([['iterations', 2]])
})

test.each([
  {
    what: 'damaged',
    lines: [HEADER, line(0), 'damage', line(1), END],
    samples: 2,
    note: 'b is damaged at line 3: that line and all after it were not read.',
  },
  {
    what: 'half written',
    lines: [HEADER, line(0), line(1).slice(0, 60)],
    samples: 2,
    note: 'b is damaged at line 3: that line and all after it were not read.',
  },
  {
    what: 'without an end',
    lines: [HEADER, line(0), line(1)],
    samples: 3,
    note: 'b has no end: its k6 was stopped, or its disk was full.',
  },
  { what: 'empty', lines: [], samples: 1, note: 'b is empty.' },
  { what: 'missing', lines: undefined, samples: 1, note: 'b is missing.' },
  {
    what: 'of another format',
    lines: [HEADER.replace('"format":2', '"format":3'), line(0)],
    samples: 1,
    note: 'b has format 3, scale 7; this version reads formats 1 and 2, scale 7: it was not read.',
  },
])(
  'a file that is $what is read as far as it goes; the result is not said to be whole',
  async ({ lines, samples: count, note }) => {
    await write('a', [POINT])
    if (lines !== undefined) await writeFile(path.join(dir, 'b'), lines.map((text) => `${text}\n`).join(''))
    expect(await mergeFiles(['a', 'b'], 'merged')).toMatchObject({
      samples: count,
      complete: false,
      notes: [note],
    })
    expect((await readSeries(path.join(dir, 'merged'))).complete).toBe(false)
  },
)

test('notes clock jumps and loses nothing', async () => {
  const hour = 3600
  const at = (seconds: number) => ({ ...POINT, time: SYNTHETIC_START + seconds })
  await write('a', [at(0), at(1), at(1 - hour), at(2 - hour), at(3 - hour)])
  await write('b', [at(0), at(1), at(2), at(2 + 5 * hour)])
  const merged = await mergeFiles(['a', 'b'], 'merged')
  expect(merged).toMatchObject({ samples: 9, complete: true })
  expect(merged.notes).toEqual([
    'The clock of the load generator jumped in a: back by 60 min at 2026-01-02T03:04:06.000Z. Counts and latencies are correct; rates and times are not.',
    'The clock of the load generator jumped in b: forward by 5 h at 2026-01-02T03:04:07.000Z. Counts and latencies are correct; rates and times are not.',
  ])
  const { series } = await readSeries(path.join(dir, 'merged'))
  expect(series.iterations).toBe(9)
})

function line(second: number): string {
  return JSON.stringify({ ...POINT, time: SYNTHETIC_START + second })
}

/** One point per sample. */
function buildPoints(all: readonly Sample[]): SeriesPoint[] {
  return all
    .toSorted((a, b) => a.second - b.second)
    .map(({ second, route, ms }) => ({
      time: SYNTHETIC_START + second,
      metric: SINCE_DUE,
      type: 'trend',
      contains: 'time',
      tags: { name: route, route_group: 'all' },
      count: 1,
      sum: ms,
      min: ms,
      max: ms,
      zero: ms === 0 ? 1 : 0,
      buckets: ms === 0 ? [] : bucketSamples([ms]),
    }))
}

function buildSeriesKey({ second, route }: Sample): string {
  return `${second} ${route}`
}

function nearestRank(values: readonly number[], quantile: number): number {
  const rank = Math.max(1, Math.ceil(quantile * values.length - 1e-9))
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN
}

function mergeFiles(names: readonly string[], output: string) {
  return mergeSeries({
    inputs: names.map((name) => ({ file: path.join(dir, name), name })),
    output: path.join(dir, output),
    version: '2.2.0',
    startMs: SYNTHETIC_START * 1000,
    nowMs: SYNTHETIC_START * 1000,
  })
}

function write(name: string, all: readonly SeriesPoint[]): Promise<void> {
  const lines = [HEADER, ...all.map((point) => JSON.stringify(point)), END]
  return writeFile(path.join(dir, name), lines.map((text) => `${text}\n`).join(''))
}

function read(name: string): Promise<string> {
  return readFile(path.join(dir, name), 'utf8')
}

async function points(name: string): Promise<SeriesPoint[]> {
  const lines = (await read(name)).trimEnd().split('\n')
  return lines.slice(1, -1).map((text) => JSON.parse(text))
}
