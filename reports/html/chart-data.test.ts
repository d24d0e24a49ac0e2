import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleCapacity, sampleTrial } from '../capacity/sample-capacity.ts'
import { type Course, createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint } from '../series/test-points.ts'
import { addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { bucketSamples } from '../synthetic-run.ts'
import { type ChartData, chartData, heatMap, trialMarks } from './chart-data.ts'

test('uses wider windows if a second has too few requests for a percentile', () => {
  const [all] = buildCharts(buildCourse({ seconds: 64, perSecond: 50 })).groups
  expect(all?.latency.lines.map(({ label }) => label)).toEqual([
    'p5 of 4 s',
    'p25 of 1 s',
    'p50 of 1 s',
    'p75 of 1 s',
    'p95 of 4 s',
    'max',
  ])
  expect(all?.latency.bands).toEqual([
    ['p5', 'p95'],
    ['p25', 'p75'],
  ])
})

test('draws only the slowest of few requests', () => {
  const [all] = buildCharts(buildCourse({ seconds: 8, perSecond: 1 })).groups
  expect(all?.latency.lines.map(({ label }) => label)).toEqual(['max'])
  expect(all?.latency.bands).toEqual([])
})

test('uses a logarithmic latency axis for a wide range', () => {
  const spread = (slowMs: number) => {
    const course = createCourse()
    for (let second = 1; second <= 8; second += 1) {
      for (const ms of [2, slowMs]) foldCourse(course, requests(100, ms, { time: second }))
    }
    return buildCharts(course).groups[0]?.latency.logarithmic
  }
  expect([spread(59), spread(62)]).toEqual([false, true])
})

test('draws no line across unmeasured seconds', () => {
  const course = buildCourse({ seconds: 2, perSecond: 30 })
  foldCourse(course, requests(30, 8, { time: 11 }))
  const { groups, seconds } = buildCharts(course)
  expect(seconds).toBe(11)
  expect(groups[0]?.seconds).toEqual([0, 1, 2, 10])
  expect(findRates(groups[0], 'requests')).toEqual([30, 30, null, 30])
})

test('draws a rate of 0, and no latency, for seconds in which k6 ran and got no response', () => {
  const course = createCourse()
  for (const time of [3, 4, 7]) foldCourse(course, requests(100, 8, { time, ...IN('pools') }))
  foldCourse(course, requests(7, 8, { time: 4, ...IN('swaps') }))
  // Also before the first request and after the last one.
  for (let time = 1; time <= 9; time += 1)
    foldCourse(course, sumPoint(5, { metric: 'vus', type: 'gauge', time }))
  const { groups, seconds } = buildCharts(course)
  expect(seconds).toBe(5)
  expect(groups[0]?.seconds).toEqual([0, 1, 2, 3, 4])
  expect(groups.map((group) => findRates(group, 'requests'))).toEqual([
    [100, 107, 0, 0, 100],
    [100, 100, 0, 0, 100],
    [0, 7, 0, 0, 0],
  ])
  expect(groups[0]?.latency.lines.map(({ name, values }) => [name, ...values])).toEqual([
    ['max', 8, 8, null, null, 8],
  ])
})

test('draws no requests of a run that only followed the feed', () => {
  const course = createCourse()
  for (const time of [1, 2]) {
    foldCourse(course, sumPoint(5, { metric: 'vus', type: 'gauge', time }))
    foldCourse(course, sumPoint(4, { metric: 'ws_msgs_received', time }))
  }
  expect(chartData({ course, trials: [], capacity: null })).toBeUndefined()
})

test('leaves a gap for infinite percentiles, and shows dropped iterations', () => {
  const course = buildCourse({ seconds: 4, perSecond: 30 })
  foldCourse(course, sumPoint(31, { metric: 'dropped_iterations', time: 3 }))
  const [all] = buildCharts(course).groups
  expect(all?.latency.lines.find(({ name }) => name === 'p50')?.values).toEqual([8, 8, null, 8])
  expect(findRates(all, 'dropped')).toEqual([0, 0, 31, 0])
})

test('gives a group its own charts, with rate 0 for seconds without its requests', () => {
  const course = createCourse()
  for (const time of [1, 2, 3]) foldCourse(course, requests(30, 8, { time, ...IN('pools') }))
  foldCourse(course, requests(7, 16, { time: 2, ...IN('swaps') }))
  const { groups } = buildCharts(course)
  expect(groups.map(({ name }) => name)).toEqual(['*', 'pools', 'swaps'])
  expect(findRates(groups[2], 'requests')).toEqual([0, 7, 0])
  expect(findRates(groups[2], 'dropped')).toBeUndefined()
  expect(groups[2]?.latency.lines.map(({ values }) => values)).toEqual([[null, 16, null]])
})

test('draws only all requests if there is one group', () => {
  expect(buildCharts(buildCourse({ seconds: 2, perSecond: 1 })).groups.map(({ name }) => name)).toEqual(['*'])
})

test('draws nothing without measurements', () => {
  expect(chartData({ course: createCourse(), trials: [], capacity: null })).toBeUndefined()
})

const IN = (route_group: string) => ({ tags: { route_group, name: 'GET /x' } })

function buildCourse({ seconds, perSecond }: { seconds: number; perSecond: number }): Course {
  const course = createCourse()
  for (let second = 1; second <= seconds; second += 1) {
    foldCourse(course, requests(perSecond, 8, { time: second }))
  }
  return course
}

function buildCharts(course: Course): ChartData {
  const charts = chartData({ course, trials: [], capacity: null })
  if (charts === undefined) throw new Error('nothing is drawn')
  return charts
}

function findRates(group: ChartData['groups'][number] | undefined, name: string) {
  return group?.rates.find(({ label }) => label === name)?.values
}

const SPAN = { firstSecond: 100, lastSecond: 119 }

test('shades the judged part of a trial in the color of its result', () => {
  const capacity = { ...sampleCapacity(), trials: [sampleTrial({ trial: 1, rate: 100, meanMs: 3 })] }
  expect(buildMarks([{ trial: 1, judgedFrom: 102, judgedTo: 107 }], capacity)).toEqual([
    { from: 2, to: 7, label: 'trial 1, 100/s', color: 'pass' },
  ])
})

test('labels a trial of sockets with their number', () => {
  const trials = [{ trial: 1, rate: 900, axis: 'sockets' as const, judgedFrom: 102, judgedTo: 107 }]
  expect(trialMarks({ trials, capacity: null, span: SPAN })[0]?.label).toBe('trial 1, 900 sockets')
})

test('clips marks to the run and skips trials outside of it', () => {
  const trials = [
    { trial: 1, judgedFrom: 90, judgedTo: 105 },
    { trial: 2, judgedFrom: 115, judgedTo: 130 },
    { trial: 3, judgedFrom: null, judgedTo: null },
    { trial: 4, judgedFrom: 120, judgedTo: 125 },
  ]
  expect(buildMarks(trials, null).map(({ from, to, color }) => [from, to, color])).toEqual([
    [0, 5, 'skipped'],
    [15, 20, 'skipped'],
  ])
})

function buildMarks(
  trials: readonly { trial: number; judgedFrom: number | null; judgedTo: number | null }[],
  capacity: Parameters<typeof trialMarks>[0]['capacity'],
) {
  return trialMarks({ trials: trials.map((trial) => ({ ...trial, rate: 100 })), capacity, span: SPAN })
}

test('counts requests by latency row and window', () => {
  // 1 and 1.5 ms within one octave, 3 ms in the next: rows of an eighth of an octave.
  const map = heatMap([buildHistogram([1, 1.5, 1.5]), undefined, buildHistogram([3])])
  expect(map).toMatchObject({ rowsPerOctave: 8, lowestRow: -1, rows: 14, zeros: null })
  expect(map?.columns).toEqual([[0, 1, ...Array<number>(4).fill(0), 2], [], [13, 1]])
})

test('rows are finer with more requests and coarser for a wide range', () => {
  const countRowsPerOctave = (copies: number, greatest: number) =>
    heatMap([buildHistogram(Array(copies).fill([0.5, greatest]).flat())])?.rowsPerOctave
  expect([countRowsPerOctave(1, 4), countRowsPerOctave(50, 4)]).toEqual([4, 16])
  expect([countRowsPerOctave(1, 100_000), countRowsPerOctave(50, 100_000)]).toEqual([1, 2])
})

test('counts zero latencies separately; with only those there is no map', () => {
  expect(heatMap([buildHistogram([0, 0, 4]), buildHistogram([])])?.zeros).toEqual([2, 0])
  expect(heatMap([buildHistogram([0])])).toBeNull()
  expect(heatMap([])).toBeNull()
})

test('loses no request, and keeps each within the bounds of its row', () => {
  const sample = fc.double({ min: 0.001, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 40 }), (samples) => {
      const map = heatMap([buildHistogram(samples)])
      const [skipped = 0, ...counts] = map?.columns[0] ?? []
      const { rowsPerOctave = 1, lowestRow = 0 } = map ?? {}
      const top = (row: number) => 2 ** ((lowestRow + skipped + row + 1) / rowsPerOctave)
      let seen = 0
      for (const [row, count] of counts.entries()) {
        seen += count
        expect(samples.filter((each) => each <= top(row) * (1 + 1e-9)).length).toBeGreaterThanOrEqual(seen)
      }
      expect(seen).toBe(samples.length)
    }),
    { seed: 1 },
  )
})

function buildHistogram(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  if (samples.length === 0) return histogram
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: samples.filter((sample) => sample === 0).length,
    buckets: bucketSamples(samples.filter((sample) => sample > 0)),
  })
  return histogram
}
