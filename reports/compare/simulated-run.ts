import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Run } from '../../contract/run.ts'
import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { bucketSamples, SYNTHETIC_RUN, SYNTHETIC_START } from '../synthetic-run.ts'
import type { RunSummary } from './read-run-summary.ts'
import { createRunSpans, foldIntoSpans } from './run-spans.ts'

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
  return { ...spans, dir: `runs/${run.id}`, run, seconds, capacity: null, objectives: null, notes: [] }
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
