/** False positive rate and power of whole comparisons with five runs per side and eight routes. */
import { expect, test } from 'vitest'
import type { Comparison } from '../../contract/comparison.ts'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { compareRuns } from './compare-folders.ts'
import { type SimulatedRoute, simulateRun, UNEVEN_ROUTE } from './simulated-run.ts'

/** The same build against itself, so that all differences are random. */
const { families, most } = IN_FULL ? { families: 40, most: 3 } : { families: 10, most: 1 }

const ROUTES: readonly SimulatedRoute[] = Array.from({ length: 8 }, (_, index) => ({
  ...UNEVEN_ROUTE,
  name: `GET /route-${index}`,
}))
const SLOWER = ROUTES.map((route) =>
  route.name === 'GET /route-3' ? { ...route, baseMs: 23, medianMs: route.medianMs * 1.15 } : route,
)

test('the same build: at most one in ten comparisons reports worse or better', () => {
  const verdicts = Array.from({ length: families }, (_, pair) => compare(pair, ROUTES).verdict)
  expect(verdicts.filter((verdict) => verdict !== 'no significant difference').length).toBeLessThanOrEqual(
    most,
  )
})

test('the same build with very different runs: at most one in ten comparisons reports worse or better', () => {
  const wild = ROUTES.map((route) => ({ ...route, baseMs: 0, medianMs: 20, runSpread: 0.3 }))
  const verdicts = Array.from({ length: families }, (_, pair) => compare(pair, wild).verdict)
  expect(verdicts.filter((verdict) => verdict !== 'no significant difference').length).toBeLessThanOrEqual(
    most,
  )
})

test('one route 15 % slower: in at least 9 of 10 it is worse, and nothing else ever is', () => {
  const found = Array.from({ length: 10 }, (_, pair) => {
    const { differences } = compare(pair, ROUTES, SLOWER)
    return [...new Set(differences.filter(({ verdict }) => verdict === 'worse').map(({ name }) => name))]
  })
  expect(found.filter((names) => names.join() === 'GET /route-3').length).toBeGreaterThanOrEqual(9)
  expect(found.flat().filter((name) => name !== 'GET /route-3')).toEqual([])
})

test('faster is better, and the whole comparison then too', () => {
  const { verdict, exitCode, differences } = compare(1, SLOWER, ROUTES)
  expect([verdict, exitCode]).toEqual(['better', 0])
  const better = differences.filter((each) => each.verdict === 'better')
  expect([...new Set(better.map(({ name }) => name))]).toEqual(['GET /route-3'])
})

function compare(pair: number, a: readonly SimulatedRoute[], b = a): Comparison {
  const side = (label: string, routes: readonly SimulatedRoute[], first: number) => ({
    label,
    runs: Array.from({ length: 5 }, (_, run) => simulateRun({ seed: first + run, seconds: 20, routes })),
  })
  const first = 1 + pair * 10
  return compareRuns({ a: side('A', a, first), b: side('B', b, first + 5) })
}
