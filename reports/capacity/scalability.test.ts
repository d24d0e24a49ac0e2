import fc from 'fast-check'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { expect, test } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { sampleTrial } from './sample-capacity.ts'
import { fitScalability, throughputAt } from './scalability.ts'

type Law = { lambda: number; sigma: number; kappa: number }

const CONCURRENCIES = [1, 2, 4, 8, 12, 16, 24, 32]

const laws = fc.record({
  lambda: fc.double({ min: 1, max: 5000, noNaN: true }),
  sigma: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 0.9, noNaN: true })),
  kappa: fc.oneof(fc.constant(0), fc.double({ min: 1e-5, max: 0.02, noNaN: true })),
})

test('recovers the law of exact points', () => {
  fc.assert(
    fc.property(laws, (law) => {
      const { scalability } = fitScalability(samplePoints(law).map(trial))
      expect(scalability?.lambda).toBeCloseTo(law.lambda, 4)
      expect(scalability?.sigma).toBeCloseTo(law.sigma, 6)
      expect(scalability?.kappa).toBeCloseTo(law.kappa, 6)
      expect(scalability?.relativeError).toBeLessThan(1e-6)
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('gives correct standard errors for points that are 2 % off', () => {
  const law = { lambda: 200, sigma: 0.05, kappa: 0.001 }
  const random = createRandom(1)
  const off = Array.from({ length: 400 }, () => {
    const { scalability: fit } = fitScalability(noisy(samplePoints(law), 0.02, random).map(trial))
    if (fit === null) throw new Error('no fit')
    return (['lambda', 'sigma', 'kappa'] as const).map(
      (name) => Math.abs(fit[name] - law[name]) / fit.standardErrors[name],
    )
  })
  // Student's t of 5 degrees of freedom: 95 % lie within 2.57 standard errors.
  const covered = [0, 1, 2].map(
    (place) => off.filter((each) => (each[place] ?? 9) < 2.57).length / off.length,
  )
  for (const share of covered) expect(share).toBeGreaterThan(0.9)
  for (const share of covered) expect(share).toBeLessThan(0.99)
})

test('no factor is below zero, whatever the points', () => {
  const anyPoints = fc.array(
    fc.record({
      concurrency: fc.double({ min: 0.01, max: 500, noNaN: true }),
      requestsPerSecond: fc.double({ min: 0.1, max: 10_000, noNaN: true }),
    }),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(anyPoints, (points) => {
      const { scalability, scalabilityReason } = fitScalability(points.map(trial))
      expect(scalability === null).toBe(scalabilityReason !== null)
      if (scalability === null) return
      expect(scalability.lambda).toBeGreaterThan(0)
      expect(scalability.sigma).toBeGreaterThanOrEqual(0)
      expect(scalability.sigma).toBeLessThanOrEqual(1)
      expect(scalability.kappa).toBeGreaterThanOrEqual(0)
      expect(scalability.relativeError).toBeLessThanOrEqual(0.1)
      expect(Number.isFinite(scalability.relativeError)).toBe(true)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('throughput that grows faster than concurrency shows no contention, rather than less than none', () => {
  const points = CONCURRENCIES.map((concurrency) => ({
    concurrency,
    requestsPerSecond: 100 * concurrency ** 1.04,
  }))
  const { scalability } = fitScalability(points.map(trial))
  expect(scalability).toMatchObject({ sigma: 0, kappa: 0, peak: null })
  expect(scalability?.standardErrors.sigma).toBeGreaterThan(0)
})

test('does not fit throughput that is independent of concurrency', () => {
  const random = createRandom(1)
  const fits = Array.from({ length: 100 }, () => {
    const points = CONCURRENCIES.map((concurrency) => ({
      concurrency,
      requestsPerSecond: 1000 * random() + 1,
    }))
    return fitScalability(points.map(trial)).scalability
  })
  expect(fits.filter((fit) => fit !== null)).toEqual([])
})

test('the peak is where higher concurrency serves fewer', () => {
  const law = { lambda: 100, sigma: 0.02, kappa: 0.002 }
  const peak = fitScalability(samplePoints(law).map(trial)).scalability?.peak
  expect(peak?.concurrency).toBeCloseTo(Math.sqrt(0.98 / 0.002), 6)
  const at = peak?.concurrency ?? 0
  expect(peak?.requestsPerSecond).toBeGreaterThan(throughputAt(law, at * 1.1))
  expect(peak?.requestsPerSecond).toBeGreaterThan(throughputAt(law, at / 1.1))
})

test('without coherency there is no peak', () => {
  const { scalability } = fitScalability(samplePoints({ lambda: 100, sigma: 0.5, kappa: 0 }).map(trial))
  expect(scalability).toMatchObject({ kappa: 0, peak: null })
})

const GOOD = samplePoints({ lambda: 100, sigma: 0.02, kappa: 0.002 })

test.each<{ what: string; change: Partial<TrialResult> }>([
  { what: 'the generator limited', change: { outcome: 'generator-limited' } },
  { what: 'nothing judged', change: { outcome: 'inconclusive' } },
  { what: 'that only warmed up', change: { phase: 'warm-up' } },
  { what: 'of a ramp', change: { rateFrom: 1 } },
  { what: 'with dropped iterations', change: { dropped: 1 } },
  { what: 'whose backlog grew', change: { throughput: 1 } },
  { what: 'that worked off a backlog', change: { throughput: 3000 } },
  { what: 'that failed', change: { errorRate: 0.2 } },
  { what: 'without latencies', change: { concurrency: null } },
])('leaves out trials $what', ({ change }) => {
  const trials = GOOD.map(trial)
  const changed = trials.map((each, index) => (index < 3 ? { ...each, ...change } : each))
  expect(fitScalability(trials).scalability?.points.length).toBe(8)
  expect(fitScalability(changed)).toEqual({
    scalability: null,
    scalabilityReason: '5 of 8 trials held a steady load, at 5 different concurrencies: a fit needs 6',
  })
})

test('a trial is steady if as many iterations completed as were due at random', () => {
  const trials = GOOD.map(trial).map((each) => ({
    ...each,
    rate: 1.1 * each.throughput,
    duePerSecond: each.throughput,
  }))
  expect(fitScalability(trials)).toEqual(fitScalability(GOOD.map(trial)))
  const behind = trials.map((each) => ({ ...each, rate: each.throughput, duePerSecond: 3 * each.rate }))
  expect(fitScalability(behind).scalabilityReason).toBe(
    '0 of 8 trials held a steady load, at 0 different concurrencies: a fit needs 6',
  )
})

test.each([
  {
    what: 'trials that repeat one rate',
    points: Array.from({ length: 12 }, () => ({ concurrency: 4, requestsPerSecond: 300 })),
    reason: '12 of 12 trials held a steady load, at 1 different concurrency: a fit needs 6',
  },
  {
    what: 'a span that is narrow',
    points: samplePoints({ lambda: 100, sigma: 0.1, kappa: 0 }, [4, 4.5, 5, 6, 7, 8, 9]),
    reason: 'concurrency rose only by a factor of 2.3 over the steady trials: a fit needs 4',
  },
  {
    what: 'requests that never meet',
    points: samplePoints({ lambda: 100, sigma: 0.1, kappa: 0 }, [0.05, 0.1, 0.2, 0.4, 0.8, 1]),
    reason: 'concurrency never exceeded 1.0: contention did not show',
  },
  {
    what: 'throughput that falls from the first on',
    points: [2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({ concurrency: n, requestsPerSecond: 100 / (n - 1) })),
    reason: 'throughput only fell with concurrency: the throughput at concurrency 1 is unknown',
  },
  {
    what: 'no trial',
    points: [],
    reason: '0 of 0 trials held a steady load, at 0 different concurrencies: a fit needs 6',
  },
])('says why there is no fit: $what', ({ points, reason }) => {
  expect(fitScalability(points.map(trial))).toEqual({ scalability: null, scalabilityReason: reason })
})

type Point = { concurrency: number; requestsPerSecond: number }

function samplePoints(law: Law, concurrencies: readonly number[] = CONCURRENCIES): Point[] {
  return concurrencies.map((concurrency) => ({
    concurrency,
    requestsPerSecond: throughputAt(law, concurrency),
  }))
}

function noisy(points: readonly Point[], relative: number, random: () => number): Point[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return points.map((point) => ({
    ...point,
    requestsPerSecond: point.requestsPerSecond * (1 + relative * normal()),
  }))
}

function createRandom(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  return () => uniformFloat64(generator)
}

/** Steady, one request per iteration. */
function trial({ concurrency, requestsPerSecond }: Point, index: number): TrialResult {
  const meanMs = (1000 * concurrency) / requestsPerSecond
  return sampleTrial({ trial: index + 1, rate: requestsPerSecond, meanMs, concurrency })
}
