/** False positives and detections of whole comparisons with --until-sure. Seeded; `npm run bench compare` runs 1,000 of each. */
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { planLooks } from '../statistics/alpha-spending.ts'
import {
  type RunStock,
  SIMULATED_ROUTE,
  simulateFixed,
  simulateUntilSure,
  stockRuns,
} from './simulated-run.ts'
import { FIRST_LOOK } from './until-sure.ts'

const { comparisons, size } = IN_FULL ? { comparisons: 400, size: 1000 } : { comparisons: 40, size: 200 }
const PLAN = planLooks({ firstLook: FIRST_LOOK, maxPairs: 20 })
const RUNS = { route: SIMULATED_ROUTE, routes: 8, size, seconds: 20, seed: 1 }
const SLOWER = { slowedRoute: 3, by: 1.15 }
const FOUND = 'worse GET /pools 3'

function repeat(stock: RunStock, b: () => ReturnType<RunStock['draw']>) {
  return Array.from({ length: comparisons }, () => simulateUntilSure({ a: () => stock.draw(), b }, PLAN))
}

function meanPairs(results: readonly { pairs: number }[]): number {
  return results.reduce((sum, { pairs }) => sum + pairs, 0) / results.length
}

test('the same build: at most one in 20 comparisons reports worse or better', () => {
  const stock = stockRuns(RUNS)
  const results = repeat(stock, () => stock.draw())
  expect(results.filter(({ changed }) => changed.length > 0).length).toBeLessThanOrEqual(comparisons / 20)
})

test('runs that hardly vary: the same build is equivalent', () => {
  const route = { ...SIMULATED_ROUTE, spread: 0.2, runSpread: 0.01, secondSpread: 0.02 }
  const stock = stockRuns({ ...RUNS, route })
  const outcomes = repeat(stock, () => stock.draw()).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'equivalent').length).toBeGreaterThanOrEqual(
    comparisons * 0.9,
  )
})

test('one route 15 % slower: found in at least 9 of 10, with at most 60 % of the maximum of pairs', () => {
  const stock = stockRuns(RUNS)
  const results = repeat(stock, () => stock.draw(SLOWER))
  const found = results.filter(({ changed }) => changed.includes(FOUND))
  expect(found.length).toBeGreaterThanOrEqual(comparisons * 0.9)
  expect(meanPairs(results)).toBeLessThanOrEqual(0.6 * PLAN.maxPairs)
})

test('a fixed number of pairs finds the slower route more often, the more pairs it has', () => {
  const stock = stockRuns(RUNS)
  const countFound = (pairs: number) =>
    Array.from({ length: comparisons }, () =>
      simulateFixed({ a: () => stock.draw(), b: () => stock.draw(SLOWER) }, pairs),
    ).filter(({ changed }) => changed.includes(FOUND)).length
  expect(countFound(5)).toBeLessThan(comparisons / 2)
  expect(countFound(20)).toBeGreaterThanOrEqual(comparisons * 0.9)
})
