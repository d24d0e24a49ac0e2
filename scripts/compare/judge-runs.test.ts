import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { alternateOrders, drawOrders, judgeAtEnd, judgeUntilSure } from './judge-runs.ts'

const LABELS = { a: 'old', b: 'new' }

const orderText = (orders: ReturnType<typeof drawOrders>) => orders.map((order) => order.join('')).join(' ')

test('with a fixed number of pairs, both sides run equally often and lead in alternate pairs', () => {
  expect(orderText(alternateOrders(1))).toBe('ab')
  expect(orderText(alternateOrders(5))).toBe('ab ba ab ba ab')
})

test('until sure, the seed draws which side leads', () => {
  expect(orderText(drawOrders(8, 7))).toBe('ab ab ba ba ba ab ab ba')
  expect(drawOrders(8, 7)).toEqual(drawOrders(8, 7))
  expect(orderText(drawOrders(8, 8))).toBe('ba ba ba ab ba ba ba ab')
  const leadsOfA = drawOrders(1000, 1).filter(([first]) => first === 'a').length
  expect(leadsOfA).toBe(504)
})

/** Pair `number` of runs, B with its own latency of GET /pools. */
async function makePair(cwd: string, number: number, poolsMs?: number) {
  const ofB = poolsMs === undefined ? {} : { poolsMs }
  return {
    a: await makeSteadyRun(cwd, join('a', String(number)), { number: 2 * number }),
    b: await makeSteadyRun(cwd, join('b', String(number)), { number: 2 * number + 1, ...ofB }),
  }
}

function judge(maxPairs = 20) {
  const logged: string[] = []
  const log = (line: string) => void logged.push(line)
  return { logged, ...judgeUntilSure(LABELS, { maxPairs, orderSeed: 7, log }) }
}

test('until sure, a slower route ends the comparison at the first look', async () => {
  const cwd = temporaryFolder()
  const { takePair, compare, logged } = judge()
  expect(await takePair(await makePair(cwd, 1, 30))).toBe(false)
  expect(await takePair(await makePair(cwd, 2, 30))).toBe(false)
  expect(await takePair(await makePair(cwd, 3, 30))).toBe(true)
  expect(await compare({ isInterrupted: false })).toMatchObject({
    verdict: 'worse',
    exitCode: 1,
    untilSure: { outcome: 'worse', pairs: 3, maxPairs: 20, firstLook: 3, orderSeed: 7 },
  })
  expect(logged).toEqual([])
})

test('until sure, equal sides go on until each difference is decided', async () => {
  const cwd = temporaryFolder()
  const { takePair, compare, logged } = judge()
  let pairs = 0
  do pairs += 1
  while (!(await takePair(await makePair(cwd, pairs))))
  expect(await compare({ isInterrupted: false })).toMatchObject({
    verdict: 'no significant difference',
    exitCode: 0,
    untilSure: { outcome: 'equivalent', pairs, undecided: 0 },
  })
  expect(logged).toEqual([])
})

test('until sure, an interrupted comparison is not sure', async () => {
  const cwd = temporaryFolder()
  const { takePair, compare, logged } = judge()
  const values = [20.9, 21.4, 20.4]
  for (const [index, poolsMs] of values.entries()) {
    expect(await takePair(await makePair(cwd, index + 1, poolsMs))).toBe(false)
  }
  expect(await compare({ isInterrupted: true })).toMatchObject({
    verdict: 'no significant difference',
    exitCode: 4,
    untilSure: { outcome: 'interrupted', pairs: 3, undecided: 3 },
  })
  expect(logged).toEqual(['after 3 pairs: 3 of 7 comparisons are undecided'])
})

test('until sure, a pair without one of its runs counts for nothing', async () => {
  const cwd = temporaryFolder()
  const { takePair, compare } = judge(3)
  for (const number of [1, 2]) await takePair(await makePair(cwd, number, 30))
  const { a } = await makePair(cwd, 3, 30)
  expect(await takePair({ a })).toBe(false)
  const comparison = await compare({ isInterrupted: false })
  expect(comparison).toMatchObject({
    verdict: 'not comparable',
    exitCode: 3,
    untilSure: { outcome: 'maximum', pairs: 2 },
    notes: ['Not comparable: fewer than 3 complete pairs of runs.'],
  })
})

test('a fixed number of pairs has no early end, and uses each completed run', async () => {
  const cwd = temporaryFolder()
  const { takePair, compare, mayStopEarly } = judgeAtEnd(LABELS, { allowSingleRun: false })
  for (const number of [1, 2, 3]) expect(await takePair(await makePair(cwd, number, 30))).toBe(false)
  const { b } = await makePair(cwd, 4, 30)
  await takePair({ b })
  const comparison = await compare({ isInterrupted: false })
  expect(mayStopEarly).toBe(false)
  expect([comparison.a.runs.length, comparison.b.runs.length]).toEqual([3, 4])
  expect(comparison.untilSure).toBeUndefined()
})
