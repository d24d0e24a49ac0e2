import { expect, test } from 'vitest'
import { type ComparedMetric, SMALLEST_EFFECTS } from '../../contract/comparison.ts'
import { planLooks } from '../statistics/alpha-spending.ts'
import { type Figure, figureKey, type RunFigures, WHOLE_RUN } from './run-figures.ts'
import { routeKey } from './run-spans.ts'
import { FIRST_LOOK, judgePairs } from './until-sure.ts'

/** The metrics of a run by place and name, in milliseconds or as a share. */
type Values = Record<string, number>

const ROUTE = routeKey('reads', 'GET /pools')
const OTHER = routeKey('reads', 'GET /tokens')

function makeRun(values: Values): RunFigures {
  const figures = Object.entries(values).map(([name, value]): [string, Figure] => {
    const [place = '', metric = ''] = name.split(' ')
    const route = place === 'other' ? OTHER : place === 'whole' ? WHOLE_RUN : ROUTE
    const isShare = metric.endsWith('Rate')
    const key = figureKey(route, metric as ComparedMetric) // as: the tests name metrics only
    return [key, { value: isShare ? value : Math.log(value), variance: 0, blocks: 4 }]
  })
  return { figures: new Map(figures), routes: [ROUTE, OTHER], requests: 100 }
}

function judge(
  a: readonly Values[],
  b: readonly Values[],
  { maxPairs = 20, reasons = [] as readonly string[] } = {},
) {
  const plan = planLooks({ firstLook: FIRST_LOOK, maxPairs })
  const sides = { a: a.map(makeRun), b: b.map(makeRun) }
  const judged = judgePairs({ ...sides, plan, reasons, smallestEffects: SMALLEST_EFFECTS })
  const rows = judged.differences.map(({ name, metric, verdict }) => `${name} ${metric}: ${verdict}`)
  return { ...judged, rows }
}

const p50 = (...ms: number[]): Values[] => ms.map((value) => ({ 'pools p50': value }))

test('before the first look, one more pair is needed whatever the difference', () => {
  const { decision, rows, undecided } = judge(p50(20, 20.1), p50(40, 40.1))
  expect(decision).toBeNull()
  expect(rows).toEqual(['GET /pools p50: not comparable'])
  expect(undecided).toBe(0)
})

test('a clear difference ends the comparison at the first look', () => {
  expect(judge(p50(20, 20.1, 19.9), p50(40, 40.1, 39.9))).toMatchObject({
    decision: 'worse',
    rows: ['GET /pools p50: worse'],
    undecided: 0,
  })
  expect(judge(p50(40, 40.1, 39.9), p50(20, 20.1, 19.9)).decision).toBe('better')
})

test('a difference below the smallest effect is equivalent, even if it is certain', () => {
  const { decision, rows, differences } = judge(p50(20, 20.01, 19.99), p50(20.4, 20.41, 20.39))
  expect(decision).toBe('equivalent')
  expect(rows).toEqual(['GET /pools p50: no significant difference'])
  expect(differences[0]?.reason).toBe('there is a difference, but it is smaller than 5 % and 1 ms')
})

test('the interval widens with the number of pairs planned, and so does the time to equivalence', () => {
  const [a, b] = [p50(20, 20.3, 19.7), p50(20.1, 19.9, 20.2)]
  const width = (maxPairs: number) => {
    const { low = 0, high = 0 } = judge(a, b, { maxPairs }).differences[0]?.interval ?? {}
    return Number((high - low).toFixed(2))
  }
  expect([3, 5, 20, 100].map(width)).toEqual([1.08, 1.29, 1.95, 3.02])
  expect(judge(a, b, { maxPairs: 5 }).decision).toBe('equivalent')
  expect(judge(a, b, { maxPairs: 100 }).decision).toBeNull()
})

test('a better route is no decision while another route may be worse', () => {
  const values = (pools: number[], tokens: number[]) =>
    pools.map((ms, index): Values => ({ 'pools p50': ms, 'other p50': tokens[index] ?? 0 }))
  const a = values([40, 40.1, 39.9], [20, 21.5, 18.5])
  const b = values([20, 20.1, 19.9], [20.8, 22.4, 20])
  expect(judge(a, b)).toMatchObject({
    decision: null,
    rows: ['GET /pools p50: better', 'GET /tokens p50: no significant difference'],
    undecided: 1,
  })
})

test('a worse route ends the comparison while others are undecided', () => {
  const values = (pools: number, tokens: number): Values => ({ 'pools p50': pools, 'other p50': tokens })
  const a = [values(20, 20), values(20.1, 24), values(19.9, 17)]
  const b = [values(40, 22), values(40.1, 25), values(39.9, 17)]
  expect(judge(a, b)).toMatchObject({ decision: 'worse', undecided: 1 })
})

test('a metric that varies too much is futile, except while it may be worse', () => {
  const [a, b] = [p50(20, 30, 14, 25, 18), p50(21, 29, 15, 24, 18)]
  expect(judge(a, b)).toMatchObject({ decision: 'futile', undecided: 1 })
  expect(judge(a, p50(31, 44, 21, 37, 27)).decision).toBeNull()
})

test('at the maximum of pairs it stops, undecided', () => {
  const [a, b] = [p50(20, 21, 19), p50(21, 22.3, 20)]
  expect(judge(a, b, { maxPairs: 20 }).decision).toBeNull()
  expect(judge(a, b, { maxPairs: 3 })).toMatchObject({ decision: 'maximum', undecided: 1 })
})

test('a metric without a failure on either side is neither in the family nor undecided', () => {
  const never = [0, 0, 0].map((): Values => ({ 'pools errorRate': 0, 'pools p50': 20 }))
  const { decision, undecided, differences } = judge(never, never)
  expect({ decision, undecided }).toEqual({ decision: 'equivalent', undecided: 0 })
  expect(differences.map(({ metric }) => metric)).toEqual(['p50', 'errorRate'])
})

test('runs that are not comparable are futile', () => {
  const runs = p50(20, 20, 20)
  expect(judge(runs, runs, { reasons: ['different mix: reads and bots'] })).toMatchObject({
    decision: 'futile',
    rows: ['GET /pools p50: not comparable'],
  })
})

test('a metric that a later run lacks keeps its share of the false positives', () => {
  const withP99 = (ms: number): Values => ({ 'pools p50': ms, 'pools p99': 2 * ms })
  const a = [withP99(20), withP99(20.1), withP99(19.9), { 'pools p50': 20 }]
  const b = [withP99(21.5), withP99(21.6), withP99(21.4), { 'pools p50': 21.5 }]
  const whole = judge(p50(20, 20.1, 19.9, 20), p50(21.5, 21.6, 21.4, 21.5)).differences[0]
  const lost = judge(a, b).differences[0]
  expect(lost?.pValue).toBe(whole?.pValue)
  expect(lost?.pAdjusted).toBe(2 * (whole?.pAdjusted ?? 0))
})

test('the same pairs give the same decision', () => {
  const [a, b] = [p50(20, 21, 19), p50(21, 22.3, 20)]
  expect(judge(a, b)).toEqual(judge(a, b))
})
