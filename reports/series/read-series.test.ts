import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { makeSyntheticRun } from '../synthetic-run.ts'
import { findPoints, readSeries } from './read-series.ts'
import { sumPoint } from './test-points.ts'

const HEADER = '{"type":"header","format":1,"k6":"2.2.0","start":"2026-01-02T03:04:05.000Z","scale":7}'
const END = '{"type":"end","time":"2026-01-02T03:05:05.000Z","samples":8}'
const STOPPED =
  'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
  file = path.join(dir, 'series.ndjson')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('adds up lines of the same route, and knows the end', async () => {
  await write([HEADER, duration(100, 'GET /pools', 3), duration(100, 'GET /pools', 4), END])
  const { series, complete, notes } = await readSeries(file)
  const routes = [...series.routes.values()].map(({ name, latency }) => [name, latency.count])
  expect({ routes, complete, notes }).toEqual({ routes: [['GET /pools', 7]], complete: true, notes: [] })
})

test('counts failures, and iterations that were due, completed and dropped', async () => {
  await write([
    HEADER,
    plain('http_req_failed', 'rate', 10, 2),
    plain('due_iterations', 'counter', 1, 35),
    plain('iterations', 'counter', 1, 30),
    plain('dropped_iterations', 'counter', 1, 4),
    END,
  ])
  const { series } = await readSeries(file)
  expect([series.dueIterations, series.iterations, series.droppedIterations]).toEqual([35, 30, 4])
  expect([...series.routes.values()].map(({ judged, failed }) => [judged, failed])).toEqual([[10, 2]])
})

test('requests without tags have a route of their own', async () => {
  await write([HEADER, duration(100, undefined, 1), END])
  const { series } = await readSeries(file)
  expect([...series.routes.values()].map(({ routeGroup, name }) => [routeGroup, name])).toEqual([
    ['(untagged)', '(untagged)'],
  ])
})

test('reads a metric from its own field, not from a tag that quotes one', async () => {
  const line = plain('vus', 'gauge', 1, 1).replace('"tags":{}', '"tags":{"metric":"iterations"}')
  await write([HEADER, line, END])
  expect((await readSeries(file)).series.iterations).toBe(0)
})

test.each([
  { what: 'text', damage: 'damage' },
  { what: 'a line cut in the middle', damage: '{"time":1,"metric":"iterations","typ' },
  { what: 'an unneeded line cut in the middle', damage: '{"time":1,"metric":"vus","typ' },
  {
    what: 'a second that no date can tell',
    damage: plain('iterations', 'counter', 1, 1).replace('100', '9e15'),
  },
  {
    what: 'such a second in an unneeded metric',
    damage: plain('vus', 'gauge', 1, 1).replace('100', '9000000000000000'),
  },
  { what: 'a count below zero', damage: plain('iterations', 'counter', -1, 1) },
  { what: 'buckets out of order', damage: duration(1, 'GET /', 2).replace('[[-1,2]]', '[[5,1],[4,1]]') },
])('reads up to $what, and says so', async ({ damage }) => {
  await write([HEADER, duration(100, 'GET /pools', 3), damage, duration(101, 'GET /pools', 4), END])
  const { series, complete, notes } = await readSeries(file)
  expect([...series.routes.values()].map(({ latency }) => latency.count)).toEqual([3])
  expect(complete).toBe(false)
  expect(notes).toEqual([
    'series.ndjson is damaged at line 3: that line and all after it were not read.',
    STOPPED,
  ])
})

test.each([
  ['large', '[8193,1]'],
  ['small', '[-8193,1]'],
])('a value too %s for a histogram costs its line only', async (_, bucket) => {
  const beyond = duration(101, 'GET /', 1).replace('[-1,1]', bucket)
  await write([HEADER, duration(100, 'GET /pools', 3), beyond, duration(102, 'GET /pools', 4), END])
  const { series, complete, damaged, notes } = await readSeries(file)
  expect([...series.routes.values()].map(({ latency }) => latency.count)).toEqual([7])
  expect([complete, damaged]).toEqual([false, false])
  expect(notes).toEqual([
    'series.ndjson has values of "http_req_duration" beyond 2^64 or 2^-64 at line 3: no such line was read.',
  ])
})

test('such a value of a metric that is not read costs nothing', async () => {
  const beyond = duration(101, 'GET /', 1).replace('[-1,1]', '[8504,1]').replace('http_req_duration', 'wei')
  await write([HEADER, duration(100, 'GET /pools', 3), beyond, END])
  expect(await readSeries(file)).toMatchObject({ complete: true, notes: [] })
})

test.each([
  {
    what: 'that is missing',
    lines: undefined,
    note: 'series.ndjson is missing: nothing is known about latency.',
  },
  { what: 'that is empty', lines: [], note: 'series.ndjson is empty: nothing is known about latency.' },
  { what: 'without an end', lines: [HEADER], note: STOPPED },
])('says of a file $what that it is', async ({ lines, note }) => {
  if (lines !== undefined) await write(lines)
  expect(await readSeries(file)).toMatchObject({ complete: false, notes: [note] })
})

test.each([
  [
    HEADER.replace('"scale":7', '"scale":8'),
    'series.ndjson has format 1, scale 8; this version reads formats 1 and 2, scale 7: it was not read.',
  ],
  [END, 'series.ndjson does not begin with a header: it was not read.'],
])('does not read behind the header %s', async (header, note) => {
  await write([header, duration(100, 'GET /pools', 3)])
  const { series, notes } = await readSeries(file)
  expect(series.routes.size).toBe(0)
  expect(notes).toEqual([note, STOPPED])
})

test('cut at any byte, a file is read up to the cut and never said to be complete', async () => {
  const series = [{ metric: 'http_req_duration', type: 'trend' as const, tags: { name: 'GET /ünïcode' } }]
  await makeSyntheticRun({ dir, seed: 1, seconds: 4, samplesPerSecond: 3, series })
  const whole = await readFile(file)
  for (let length = whole.length - 2; length > 0; length -= 1) {
    await truncate(file, length)
    const linesLeft =
      whole
        .subarray(0, length + 1)
        .toString('latin1')
        .split('\n').length - 1
    const read = await readSeries(file)
    const counted = [...read.series.routes.values()].reduce((sum, { latency }) => sum + latency.count, 0)
    expect({ length, complete: read.complete, counted }).toEqual({
      length,
      complete: false,
      counted: Math.max(0, linesLeft - 1) * 3,
    })
  }
})

function duration(time: number, name: string | undefined, count: number): string {
  const tags = name === undefined ? {} : { name, route_group: 'pools' }
  return JSON.stringify({
    time,
    metric: 'http_req_duration',
    type: 'trend',
    contains: 'time',
    tags,
    count,
    sum: count,
    min: 1,
    max: 1,
    zero: 0,
    buckets: [[-1, count]],
  })
}

function plain(metric: string, type: string, count: number, sum: number): string {
  return JSON.stringify({ time: 100, metric, type, contains: 'default', tags: {}, count, sum })
}

function write(lines: readonly string[]): Promise<void> {
  return writeFile(file, lines.map((line) => `${line}\n`).join(''))
}

test('finds the points of the requested metrics anywhere', async () => {
  const wanted = ['load_start', 'load_started'].map((metric) => sumPoint(1, { metric, time: 7 }))
  const others = [
    sumPoint(2, { metric: 'iterations', tags: { metric: 'load_start' } }),
    sumPoint(2, { metric: 'overload_start' }),
    sumPoint(2, { metric: '"metric":"load_start"' }),
  ]
  const filler = Array.from({ length: 3000 }, (_, time) => sumPoint(3, { metric: 'iterations', time }))
  const lines = [...others, wanted[0], ...filler, wanted[1], ...others]
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(await found()).toEqual(wanted)
})

test('skips damaged and truncated lines', async () => {
  const line = JSON.stringify(sumPoint(1, { metric: 'load_start' }))
  await writeFile(file, `x${line}\n${line.replace('"sum":1', '"sum":""')}\n${line}\n${line.slice(0, -1)}`)
  expect(await found()).toEqual([JSON.parse(line)])
})

test('finds none in a missing file, and reports an unreadable one', async () => {
  expect(await found()).toEqual([])
  await expect(found(path.dirname(file))).rejects.toMatchObject({
    message: `${path.dirname(file)}: cannot be read: it is a folder, not a file`,
  })
})

async function found(of = file): Promise<SeriesPoint[]> {
  const points: SeriesPoint[] = []
  for await (const point of findPoints(of, 'load_start')) points.push(point)
  return points
}
