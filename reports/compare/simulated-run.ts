import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'
import { SMALLEST_EFFECTS, type UntilSureOutcome } from '../../contract/comparison.ts'
import type { Run } from '../../contract/run.ts'
import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import type { LookPlan } from '../statistics/alpha-spending.ts'
import { bucketSamples, SYNTHETIC_RUN, SYNTHETIC_START } from '../synthetic-run.ts'
import { judgeDifferences } from './judge-difference.ts'
import { measureDifferences } from './measure-differences.ts'
import type { RunSummary } from './read-run-summary.ts'
import { computeRunFigures, type Figure, figureKey, type RunFigures, WHOLE_RUN } from './run-figures.ts'
import { createRunSpans, foldIntoSpans, routeKey } from './run-spans.ts'
import { judgePairs } from './until-sure.ts'

/** A route with log-normal latencies. The median varies from run to run and, with memory, from second to second. */
export type SimulatedRoute = {
  name: string
  baseMs: number
  medianMs: number
  /** Standard deviations of the logarithm: between samples, runs and seconds. */
  spread: number
  runSpread: number
  secondSpread: number
  /** Autocorrelation between neighboring seconds. */
  memory: number
  samplesPerSecond: number
  errorRate: number
}

export const SIMULATED_ROUTE: SimulatedRoute = {
  name: 'GET /pools',
  baseMs: 0,
  medianMs: 20,
  spread: 0.5,
  runSpread: 0.05,
  secondSpread: 0.1,
  memory: 0.5,
  samplesPerSecond: 20,
  errorRate: 0,
}

/** Response times of 20 ms and more, with some errors, that vary from run to run. */
export const UNEVEN_ROUTE: SimulatedRoute = {
  ...SIMULATED_ROUTE,
  baseMs: 20,
  medianMs: 1.5,
  spread: 0.8,
  runSpread: 0.2,
  secondSpread: 0.3,
  errorRate: 0.01,
}

/** A seeded run summary, as if read from its folder, for tests of the comparison. */
export function simulateRun(options: {
  seed: number
  seconds: number
  routes: readonly SimulatedRoute[]
  run?: Partial<Run>
}): RunSummary {
  const { seed, seconds, routes } = options
  const random = createRandom(seed)
  const spans = createRunSpans()
  for (const route of routes) {
    const ofRun = route.runSpread * random.normal()
    let ofSecond = route.secondSpread * random.normal()
    for (let second = 0; second < seconds; second += 1) {
      const median = Math.log(route.medianMs) + ofRun + ofSecond
      const samples = Array.from(
        { length: route.samplesPerSecond },
        () => route.baseMs + Math.exp(median + route.spread * random.normal()),
      )
      const failed = samples.filter(() => random.uniform() < route.errorRate).length
      for (const point of generatePoints(route, SYNTHETIC_START + second, samples, failed)) {
        foldIntoSpans(spans, point, second)
      }
      const fresh = Math.sqrt(1 - route.memory ** 2) * route.secondSpread
      ofSecond = route.memory * ofSecond + fresh * random.normal()
    }
  }
  const run = { ...SYNTHETIC_RUN, id: `run-${seed}`, ...options.run }
  const none = { capacity: null, objectives: null, notes: [] }
  return { ...spans, ...none, dir: `runs/${run.id}`, run, seconds, isWhole: true }
}

function generatePoints(
  { name }: SimulatedRoute,
  time: number,
  samples: readonly number[],
  failed: number,
): SeriesPoint[] {
  const count = samples.length
  const tags = { name, route_group: 'simulated' }
  return [
    {
      time,
      metric: SINCE_DUE,
      type: 'trend',
      contains: 'time',
      tags,
      count,
      sum: samples.reduce((sum, sample) => sum + sample, 0),
      min: Math.min(...samples),
      max: Math.max(...samples),
      zero: 0,
      buckets: bucketSamples(samples),
    },
    { time, metric: 'http_req_failed', type: 'rate', contains: 'default', tags, count, sum: failed },
    { time, metric: 'iterations', type: 'counter', contains: 'default', tags: {}, count, sum: count },
  ]
}

function createRandom(seed: number): { uniform: () => number; normal: () => number } {
  // Consecutive seeds start alike; multiplied by the golden ratio they do not.
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b1))
  for (let step = 0; step < 8; step += 1) uniformFloat64(generator)
  const uniform = () => uniformFloat64(generator)
  // Box–Muller transform (1958).
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return { uniform, normal }
}

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
  return { figures, routes, requests }
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
