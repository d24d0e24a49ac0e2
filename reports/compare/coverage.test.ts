/** Coverage of the intervals for a known true difference. Seeded: the figures never change. */
import { expect, test } from 'vitest'
import type { ComparedMetric } from '../../contract/comparison.ts'
import { sampleByTree } from '../../tools/test/tree-sample.ts'
import { compareMeans, type SideFigures } from '../statistics/compare-means.ts'
import { computeRunFigures, figureKey } from './run-figures.ts'
import { routeKey } from './run-spans.ts'
import { SIMULATED_ROUTE, type SimulatedRoute, simulateRun } from './simulated-run.ts'

const SLOWER = 1.15
const METRICS = ['p50', 'p95'] as const

const CASES = [
  { name: '3 runs per side', runs: 3, trials: 1500, seconds: 12, route: {} },
  { name: '5 runs per side', runs: 5, trials: 600, seconds: 12, route: {} },
  { name: '10 runs per side', runs: 10, trials: 400, seconds: 12, route: {} },
  {
    name: '3 runs that differ by their seconds only',
    runs: 3,
    trials: 1500,
    seconds: 12,
    route: { runSpread: 0 },
  },
  {
    name: 'seconds with a long memory',
    runs: 5,
    trials: 400,
    seconds: 30,
    route: { runSpread: 0.02, memory: 0.8 },
  },
  {
    name: 'heavy tails and wild runs',
    runs: 5,
    trials: 600,
    seconds: 12,
    route: { spread: 1.2, runSpread: 0.2 },
  },
  { name: 'a single run of 40 s per side', runs: 1, trials: 600, seconds: 40, route: { runSpread: 0 } },
  { name: 'a single run of 100 s per side', runs: 1, trials: 1000, seconds: 100, route: { runSpread: 0 } },
]

test.each(sampleByTree(CASES, 1))('a 95 % interval holds the truth 93 to 97 times in 100: $name', (each) => {
  for (const [metric, coverage] of measureCoverage(each)) {
    expect.soft(coverage, metric).toBeGreaterThanOrEqual(0.93)
    expect.soft(coverage, metric).toBeLessThanOrEqual(0.97)
  }
})

/** How often the interval contains the true difference: both sides come from one distribution, and B is 15 % slower. */
function measureCoverage(options: {
  runs: number
  trials: number
  seconds: number
  route: Partial<SimulatedRoute>
}): [ComparedMetric, number][] {
  const covered = new Map<ComparedMetric, number>()
  const route = { ...SIMULATED_ROUTE, ...options.route }
  const slower = { ...route, medianMs: route.medianMs * SLOWER }
  for (let trial = 0; trial < options.trials; trial += 1) {
    const seed = 1 + trial * 2 * options.runs
    const sides = [
      simulateSide(seed, route, options),
      simulateSide(seed + options.runs, slower, options),
    ] as const
    for (const metric of METRICS) {
      const [a, b] = sides.map((side) => side(metric)) as [SideFigures, SideFigures] // as: two went in
      const { low, high } = compareMeans({ a, b, confidence: 0.95 })
      const truth = Math.log(SLOWER)
      if (low <= truth && truth <= high) covered.set(metric, (covered.get(metric) ?? 0) + 1)
    }
  }
  return METRICS.map((metric) => [metric, (covered.get(metric) ?? 0) / options.trials])
}

function simulateSide(
  seed: number,
  route: SimulatedRoute,
  { runs, seconds }: { runs: number; seconds: number },
): (metric: ComparedMetric) => SideFigures {
  const figures = Array.from({ length: runs }, (_, index) =>
    computeRunFigures(simulateRun({ seed: seed + index, seconds, routes: [route] }), {
      seed,
      resamples: runs === 1 ? 150 : 30,
    }),
  )
  return (metric) => {
    const found = figures.map((each) => {
      const figure = each.figures.get(figureKey(routeKey('simulated', route.name), metric))
      if (figure === undefined || 'lacking' in figure) throw new Error(`no ${metric}`)
      return figure
    })
    return {
      values: found.map(({ value }) => value),
      variances: found.map(({ variance }) => variance),
      leastVariance: 0,
      blocks: found[0]?.blocks ?? 0,
    }
  }
}
