import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'
import { SMALLEST_EFFECTS, type UntilSureOutcome } from '../../contract/comparison.ts'
import type { LookPlan } from '../statistics/alpha-spending.ts'
import { judgeDifferences } from './judge-difference.ts'
import { measureDifferences } from './measure-differences.ts'
import { computeRunFigures, type Figure, figureKey, type RunFigures, WHOLE_RUN } from './run-figures.ts'
import { routeKey } from './run-spans.ts'
import { type SimulatedRoute, simulateRun } from './simulated-run.ts'
import { judgePairs } from './until-sure.ts'

/**
 * Draws runs of many routes from a stock of simulated runs of one route, because many comparisons need more runs
 * than can be simulated. The routes of a run vary independently, as in `simulateRun`.
 */
export type RunStock = { draw(options?: { slowedRoute: number; by: number }): RunFigures }

export function stockRuns(options: {
  route: SimulatedRoute
  routes: number
  size: number
  seconds: number
  seed: number
}): RunStock {
  const { route, routes, size, seconds, seed } = options
  const stock = Array.from({ length: size }, (_, index) =>
    computeRunFigures(simulateRun({ seed: seed + index, seconds, routes: [route] }), { seed, resamples: 30 }),
  )
  const random = xoroshiro128plus(seed)
  return {
    draw(slowed) {
      const drawn = Array.from({ length: routes }, (_, index) => {
        const figures = pick(stock, random)
        return slowed?.slowedRoute === index ? slowDown(figures, slowed.by) : figures
      })
      return joinRoutes(drawn, route.name)
    },
  }
}

function pick(stock: readonly RunFigures[], random: RandomGenerator): RunFigures {
  const picked = stock[uniformInt(random, 0, stock.length - 1)]
  if (picked === undefined) throw new RangeError('the stock is empty')
  return picked
}

/** Latencies are compared by their logarithms. */
function slowDown(run: RunFigures, by: number): RunFigures {
  const figures = [...run.figures].map(([key, figure]): [string, Figure] => {
    const isLatency = /\np\d+$/.test(key)
    return [
      key,
      'lacking' in figure || !isLatency ? figure : { ...figure, value: figure.value + Math.log(by) },
    ]
  })
  return { ...run, figures: new Map(figures) }
}

function joinRoutes(runs: readonly RunFigures[], name: string): RunFigures {
  const figures = new Map<string, Figure>()
  const routes = runs.map((_, index) => routeKey('simulated', `${name} ${index}`))
  for (const [index, run] of runs.entries()) {
    for (const [key, figure] of run.figures) {
      const metric = key.slice(key.lastIndexOf('\n') + 1) as Parameters<typeof figureKey>[1] // as: figureKey wrote it
      const route = key.startsWith(`${WHOLE_RUN}\n`) ? WHOLE_RUN : (routes[index] ?? '')
      figures.set(figureKey(route, metric), figure)
    }
  }
  const requests = runs.reduce((sum, run) => sum + run.requests, 0)
  return { figures, routes, blocks: Math.min(...runs.map(({ blocks }) => blocks)), requests }
}

type Side = () => RunFigures

/** Adds pairs as `compare --until-sure` does. `changed`: the differences that are worse or better. */
export function simulateUntilSure(
  sides: { a: Side; b: Side },
  plan: LookPlan,
): { outcome: UntilSureOutcome; pairs: number; changed: string[] } {
  const [a, b]: [RunFigures[], RunFigures[]] = [[], []]
  for (;;) {
    a.push(sides.a())
    b.push(sides.b())
    const { decision, pairs, differences } = judgePairs({
      a,
      b,
      plan,
      reasons: [],
      smallestEffects: SMALLEST_EFFECTS,
    })
    if (decision !== null) return { outcome: decision, pairs, changed: listChanged(differences) }
  }
}

/** The comparison with a number of runs that is fixed in advance, `compare --repeat`. */
export function simulateFixed(sides: { a: Side; b: Side }, repeat: number): { changed: string[] } {
  const runs = (side: Side) => Array.from({ length: repeat }, side)
  const measured = measureDifferences({ a: runs(sides.a), b: runs(sides.b), reasons: [], confidence: 0.95 })
  return { changed: listChanged(judgeDifferences(measured, { smallestEffects: SMALLEST_EFFECTS })) }
}

function listChanged(differences: ReturnType<typeof judgeDifferences>): string[] {
  return differences
    .filter(({ verdict }) => verdict === 'worse' || verdict === 'better')
    .map(({ verdict, name }) => `${verdict} ${name ?? 'whole run'}`)
}
