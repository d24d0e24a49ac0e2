import { expect, test } from 'vitest'
import type { RunRecord } from '../../contract/run-record.ts'
import { createRandom } from '../../simulator/random.ts'
import { judgeTrends } from './judge-trend.ts'
import { drawNormal, type SimulatedRun, simulateRecord } from './simulated-records.ts'
import { isRegression, trendLines } from './trend-text.ts'

const OPTIONS = { seed: 1, alpha: 0.01, minEffect: 0.03, runsMax: 400 }
const NOISE = 0.01

function simulate(runs: number, describe: (number: number) => SimulatedRun, seed = 1): RunRecord[] {
  const random = createRandom(seed).stream('runs')
  const float = () => random.float()
  return Array.from({ length: runs }, (_, number) => {
    const { factor = 1, ...rest } = describe(number)
    return simulateRecord(number, float, { ...rest, factor: factor * Math.exp(NOISE * drawNormal(float)) })
  })
}

function judge(records: readonly RunRecord[]) {
  const [trend] = judgeTrends(records, OPTIONS)
  if (trend === undefined) throw new Error('no group')
  return trend
}

test('a step of 5 % is confirmed by its third run, and names the release', () => {
  const records = simulate(23, (number) => ({ factor: number >= 20 ? 1.05 : 1 }))
  const trend = judge(records)
  expect(trend.changes).toMatchObject([{ at: 20, isConfirmed: true, direction: 'worse' }])
  expect(isRegression(trend, undefined)).toBe(true)
  expect(trendLines([trend])[1]).toMatch(/^ {2}confirmed: worse since v1\.20\.0, run run-0020: p50 .* \(\+\d/)
})

test('before its third run it is a candidate, and no regression', () => {
  const trend = judge(simulate(22, (number) => ({ factor: number >= 20 ? 1.2 : 1 })))
  expect(trend.changes).toMatchObject([{ at: 20, isConfirmed: false, direction: 'worse' }])
  expect(isRegression(trend, undefined)).toBe(false)
})

test('in a short history a step stays a candidate until it is confirmed', () => {
  const states = [3, 4, 5, 6].map((slow) => {
    const { note, changes } = judge(simulate(6 + slow, (number) => ({ factor: number >= 6 ? 10 : 1 })))
    return note ?? changes.map(({ at, isConfirmed }) => [at, isConfirmed])
  })
  expect(states).toEqual(['9 of 10 runs that a trend needs', [[6, false]], [[6, true]], [[6, true]]])
})

test.each([
  { alpha: 0.2, needed: 6 },
  { alpha: 0.05, needed: 8 },
  { alpha: 0.01, needed: 10 },
  { alpha: 0.004, needed: 12 },
])('with alpha $alpha, a trend needs $needed runs', ({ alpha, needed }) => {
  const [trend] = judgeTrends(
    simulate(5, () => ({})),
    { ...OPTIONS, alpha },
  )
  expect(trend?.note).toBe(`5 of ${needed} runs that a trend needs`)
})

test('a change of the slowest 2 % alone is found', () => {
  const trend = judge(simulate(30, (number) => ({ tailFactor: number >= 20 ? 1.3 : 1 })))
  expect(trend.changes).toMatchObject([{ at: 20, isConfirmed: true, direction: 'worse' }])
  expect(trend.changes[0]?.shifts.map(({ figure }) => figure)).not.toContain('p50')
})

test('a change smaller than the smallest effect is not reported', () => {
  expect(judge(simulate(40, (number) => ({ factor: number >= 20 ? 1.02 : 1 }))).changes).toEqual([])
})

test('a percentile of too few requests is no part of a change', () => {
  const few = { count: 100, min: 20, max: 400, zero: 0 }
  const at = (index: number, slow = 0) => ({
    ...few,
    buckets: [index, 100 - slow, ...(slow > 0 ? [400, slow] : [])],
  })
  // All requests become faster, except that one of 600 is slow.
  const records = simulate(14, () => ({})).map((record, number) => ({
    ...record,
    latency: number < 8 ? at(600 + (number % 2)) : at(570 + (number % 2), number === 10 ? 1 : 0),
  }))
  expect(judge(records).changes).toMatchObject([{ at: 8, direction: 'better' }])
})

test('200 runs without a change have no false point', () => {
  expect(judge(simulate(200, () => ({}))).changes).toEqual([])
})

test('more failures are a change', () => {
  const trend = judge(simulate(30, (number) => ({ failed: number >= 20 ? 200 : 10 })))
  expect(trend.changes).toMatchObject([{ at: 20, direction: 'worse', shifts: [{ figure: 'failed' }] }])
})

test('an improvement after a regression ends it; --since still finds it', () => {
  const trend = judge(simulate(40, (number) => ({ factor: number >= 15 && number < 30 ? 1.2 : 1 })))
  expect(trend.changes.map(({ at, direction }) => [at, direction])).toEqual([
    [15, 'worse'],
    [30, 'better'],
  ])
  expect(isRegression(trend, undefined)).toBe(false)
  expect(isRegression(trend, Date.parse(trend.points[10]?.startedAt ?? ''))).toBe(true)
  expect(isRegression(trend, Date.parse(trend.points[15]?.startedAt ?? ''))).toBe(false)
})

test('the capacity of searches is a trend of its own', () => {
  const records = simulate(30, () => ({})).map((record, number) => ({
    ...record,
    job: 'capacity',
    capacity: (number >= 20 ? 90 : 100) + (number % 3) / 2,
  }))
  expect(judge(records).changes).toMatchObject([
    { at: 20, direction: 'worse', shifts: [{ figure: 'capacity' }] },
  ])
})

test.each([
  ...['mix', 'target', 'machine', 'world', 'choices', 'objectives'].map((name) => [name, 'one', 'other']),
  ['axis', 'sockets', 'events'],
])('runs with another %s are kept apart', (name, one, other) => {
  const records = simulate(30, (number) => ({
    factor: number % 2 === 0 ? 1 : 2,
    record: { [name]: number % 2 === 0 ? one : other },
  }))
  const trends = judgeTrends(records, OPTIONS)
  expect(trends.map(({ points, changes }) => [points.length, changes.length])).toEqual([
    [15, 0],
    [15, 0],
  ])
})

test('too few runs are not judged, and the order of the files does not matter', () => {
  const records = simulate(5, () => ({}))
  expect(judge(records)).toMatchObject({ changes: [], note: '5 of 10 runs that a trend needs' })
  const many = simulate(23, (number) => ({ factor: number >= 20 ? 1.1 : 1 }))
  expect(judgeTrends(many.toReversed(), OPTIONS)).toEqual(judgeTrends(many, OPTIONS))
})
