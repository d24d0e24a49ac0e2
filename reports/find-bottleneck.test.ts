import { expect, test } from 'vitest'
import { SERVER_TIMED, SERVER_TIMING } from '../contract/series.ts'
import { sampleCapacity, sampleTrial } from './capacity/sample-capacity.ts'
import { findBottleneck, findGrownPart, type TimedLoad, type TimedTrial } from './find-bottleneck.ts'
import { createFoldedSeries, foldPoint } from './series/fold-series.ts'
import { createServerTimes, foldServerTimed, foldServerTiming } from './series/server-times.ts'
import { sumPoint, trendPoint } from './series/test-points.ts'

const ENDED_WELL = {
  state: 'finished',
  k6: { exitCode: 0, reason: 'finished', meaning: 'ended well' },
} as const
const BROKE = { state: 'failed', k6: { exitCode: 107, reason: 'failed', meaning: 'a script threw' } } as const

type Options = Partial<Parameters<typeof findBottleneck>[0]>

function bottleneck(options: Options, points: Parameters<typeof foldPoint>[1][] = []) {
  const series = createFoldedSeries()
  for (const point of points) foldPoint(series, point)
  return findBottleneck({
    run: ENDED_WELL,
    capacity: null,
    series,
    seriesComplete: true,
    loads: [],
    ...options,
  })
}

const lag = (ms: number) => trendPoint(Array<number>(1000).fill(ms), { metric: 'generator_lag' })

test('finds no bottleneck in a run that finished in time', () => {
  expect(bottleneck({}, [lag(99)])).toEqual({
    by: null,
    part: null,
    reasons: [expect.stringMatching(/^No bottleneck found/)],
  })
})

test.each<[string, Options, string | null, RegExp]>([
  ['was interrupted', { run: { ...ENDED_WELL, state: 'interrupted' } }, 'interrupted', /stopped early/],
  ['was killed', { run: { state: 'running', k6: null } }, 'interrupted', /stopped early/],
  ['lost its k6', { run: BROKE }, 'generator', /^k6 exited with 107: a script threw\.$/],
  ['never had one', { run: { state: 'failed', k6: null } }, 'generator', /^k6 never ran\.$/],
  ['has a series without an end', { seriesComplete: false }, null, /cover a part/],
])('reports the cause for a run that %s', (_what, options, by, reason) => {
  expect(bottleneck(options)).toEqual({ by, part: null, reasons: [expect.stringMatching(reason)] })
})

test('dropped iterations have no known cause; lag is the generator', () => {
  const points = [
    sumPoint(3, { metric: 'dropped_iterations' }),
    sumPoint(7, { metric: 'iterations' }),
    lag(100),
  ]
  expect(bottleneck({}, points.slice(0, 2))).toEqual({
    by: null,
    part: null,
    reasons: [expect.stringContaining('could not start 3 of 10 iterations')],
  })
  expect(bottleneck({}, points)).toEqual({
    by: 'generator',
    part: null,
    reasons: [expect.stringContaining('3 of 10'), expect.stringContaining('up to 100 ms late')],
  })
})

test('reports the result of a search, and the last failed trial of a held load', () => {
  const search = sampleCapacity()
  expect(bottleneck({ capacity: search })).toEqual({
    by: 'target',
    part: null,
    reasons: ['400 iterations/s meet the objectives; limited by the target; confirmed.'],
  })
  const stage = (outcome: 'pass' | 'fail') =>
    sampleTrial({ trial: 1, phase: 'stage', rate: 50, meanMs: 3, outcome, reason: 'too slow' })
  const held = (outcome: 'pass' | 'fail') => ({ ...search, limitedBy: null, trials: [stage(outcome)] })
  expect(bottleneck({ capacity: held('fail') })).toEqual({
    by: null,
    part: null,
    reasons: ['At 50 iterations/s: too slow.'],
  })
  expect(bottleneck({ capacity: held('pass') }).reasons).toEqual([
    'No bottleneck found: every offered load met the objectives.',
  ])
  expect(bottleneck({ capacity: { ...search, limitedBy: null, trials: [] } }).reasons).toEqual([
    'No load was offered.',
  ])
})

const timed = (trial: number, rate: number, ms: number, queueMs: number): TimedTrial => ({
  trial,
  rate,
  times: {
    timed: { count: 50, sumMs: 50 * ms, squares: 50 * ms ** 2 },
    parts: new Map([['queue', { count: 50, sumMs: 50 * queueMs, squares: 50 * queueMs ** 2 }]]),
  },
})
const loads = [
  timed(1, 50, 10, 1),
  timed(2, 400, 110, 91),
  { trial: 3, rate: 800, times: createServerTimes() },
]
const trial = (number: number, outcome: 'pass' | 'fail' | 'generator-limited') =>
  sampleTrial({ trial: number, phase: 'search', rate: 50, meanMs: 3, outcome, reason: 'x' })
const search = (trials: ReturnType<typeof trial>[], limitedBy: 'slo' | 'generator' = 'slo') => ({
  ...sampleCapacity(),
  limitedBy,
  trials,
})

test('names the part of the target that grew until an objective failed', () => {
  expect(bottleneck({ capacity: search([trial(1, 'pass'), trial(2, 'fail')]), loads })).toEqual({
    by: 'slo',
    part: 'queue',
    reasons: [
      expect.any(String),
      'The part "queue" of the target\'s own time (Server-Timing of 50 and 50 traced requests) grew from 1 ms at up to 50 iterations/s to 91 ms at 400 or more: 90 % of the growth of the response time, from 10 to 110 ms.',
    ],
  })
})

test.each([
  ['no objective failed', search([trial(1, 'pass'), trial(2, 'pass')])],
  ['the load generator saturated', search([trial(1, 'pass'), trial(2, 'fail')], 'generator')],
  ['the higher load was not offered', search([trial(1, 'fail'), trial(2, 'generator-limited')])],
])('names none if %s', (_what, capacity) => {
  expect(bottleneck({ capacity, loads }).part).toBeNull()
})

/** A load with `count` requests, each with the same times. */
function load(rate: number, ms: number, parts: Record<string, number>, count = 100): TimedLoad {
  const times = createServerTimes()
  foldServerTimed(times, trendPoint(Array<number>(count).fill(ms), { metric: SERVER_TIMED }))
  for (const [part, partMs] of Object.entries(parts)) {
    const samples = Array<number>(count).fill(partMs)
    foldServerTiming(times, trendPoint(samples, { metric: SERVER_TIMING, tags: { part } }))
  }
  return { rate, times }
}

const LOW = load(50, 10, { queue: 1, app: 8, total: 9 })

test('names the part that grew with the load', () => {
  const half = load(200, 20, { queue: 6, app: 9, total: 15 })
  const high = load(400, 110, { queue: 91, app: 18, total: 109 })
  expect(findGrownPart([high, LOW, half])).toEqual({
    name: 'queue',
    rates: [50, 400],
    requests: [100, 100],
    partMs: [1, 91],
    responseMs: [10, 110],
    share: 0.9,
  })
})

test('of parts that contain each other, names the one that is within the others', () => {
  const low = load(50, 10, { handler: 9, db: 5, cache: 1 })
  expect(findGrownPart([low, load(400, 110, { handler: 108, db: 80, cache: 10 })])?.name).toBe('db')
})

test('adds up the requests of loads with the same rate', () => {
  const high = () => load(400, 110, { queue: 91 }, 15)
  expect(findGrownPart([LOW, high()])).toBeNull()
  expect(findGrownPart([LOW, high(), high()])?.requests).toEqual([100, 30])
})

test('merges the lowest loads, and the highest, until they have enough requests', () => {
  const loads = [10, 20, 30, 300, 400].map((rate) =>
    rate < 100 ? load(rate, 10, { queue: 1 }, 15) : load(rate, 110, { queue: 91 }, 15),
  )
  expect(findGrownPart(loads)).toMatchObject({ rates: [20, 300], requests: [30, 30], share: 0.9 })
  expect(findGrownPart(loads.slice(2))).toBeNull()
})

test.each<[string, TimedLoad[]]>([
  ['there is only one load', [load(400, 110, { queue: 91 })]],
  ['no load has requests', [load(50, 1, {}, 0), load(400, 1, {}, 0)]],
  ['the lowest load has few requests', [load(50, 10, { queue: 1 }, 29), load(400, 110, { queue: 91 })]],
  ['the highest load has few requests', [LOW, load(400, 110, { queue: 91 }, 29)]],
  ['the response time hardly grew', [LOW, load(400, 14, { queue: 5 })]],
  ['the parts explain half of the growth', [LOW, load(400, 110, { queue: 51, app: 58 })]],
  ['the time grew outside of the parts', [LOW, load(400, 110, { queue: 2, app: 9 })]],
  ['only the sum of the parts grew', [LOW, load(400, 110, { total: 100 })]],
  ['a part is longer than its response', [LOW, load(400, 110, { queue: 900 })]],
])('names none if %s', (_what, loads) => {
  expect(findGrownPart(loads)).toBeNull()
})

test('names none if few requests make up its mean', () => {
  const high = load(400, 110, {})
  const samples = [...Array<number>(98).fill(0), 5000, 5000]
  foldServerTiming(high.times, trendPoint(samples, { metric: SERVER_TIMING, tags: { part: 'gc' } }))
  expect(high.times.parts.get('gc')?.sumMs).toBe(10_000)
  expect(findGrownPart([LOW, high])).toBeNull()
})

test.each(['', '<b>', 'a b', '\u202e', 'n'.repeat(33)])('ignores a part named %j', (part) => {
  expect(findGrownPart([LOW, load(400, 110, { [part]: 91 })])).toBeNull()
})
