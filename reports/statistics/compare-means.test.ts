import fc from 'fast-check'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { expect, test } from 'vitest'
import {
  adjustByHolm,
  blockSeconds,
  blockVariance,
  compareMeans,
  criticalT,
  resampleBlocks,
  type SideFigures,
  sampleVariance,
  twoSidedP,
  type Weights,
} from './compare-means.ts'

const CONFIDENCE = 0.95

test('equals the t test for runs without inner variance', () => {
  // Variances 1 and 4 of three runs each: t = 3.098 with 4 degrees of freedom.
  const { difference, low, high, pValue } = compare([9, 10, 11], [12, 14, 16])
  expect(difference).toBe(4)
  expect([low, high].map((end) => Number(end.toFixed(3)))).toEqual([0.416, 7.584])
  expect(pValue).toBeCloseTo(0.036278, 6)
})

test('runs that agree by chance are no more certain than their seconds', () => {
  const sure = compare([10, 10, 10, 10, 10], [11, 11, 11, 11, 11])
  const unsure = compare([10, 10, 10, 10, 10], [11, 11, 11, 11, 11], 1)
  expect([sure.low, sure.high, sure.pValue]).toEqual([1, 1, 0])
  expect(unsure.low).toBeLessThan(0.7)
  expect(unsure.pValue).toBeGreaterThan(0.0001)
})

test('uses the variance of seconds for a single run per side', () => {
  const a = { values: [10], variances: [0.5], leastVariance: 0, blocks: 5 }
  const b = { values: [12], variances: [0.5], leastVariance: 0, blocks: 5 }
  const { low, high } = compareMeans({ a, b, confidence: CONFIDENCE })
  // Five blocks each give 8 degrees of freedom: t = 2.306.
  expect([low, high].map((end) => Number(end.toFixed(3)))).toEqual([-0.306, 4.306])
})

test('no estimate is below the least variance, with one run per side or with several', () => {
  const side = (values: readonly number[]) => ({
    ...figures(values, 0),
    leastVariance: 0.5,
  })
  const intervals = [1, 3].map((runs) => {
    const [a, b] = [10, 12].map((value) => side(Array<number>(runs).fill(value)))
    if (a === undefined || b === undefined) throw new Error('two went in')
    const { low, high } = compareMeans({ a, b, confidence: CONFIDENCE })
    return [low, high].map((end) => Number(end.toFixed(3)))
  })
  // One run: as above. Three: t = 2.776 with 4 degrees of freedom, times the root of 1/3.
  expect(intervals).toEqual([
    [-0.306, 4.306],
    [0.397, 3.603],
  ])
})

test('a single run is assumed to vary like the other side', () => {
  const { difference, low, high } = compare([9, 10, 11], [14])
  // Variance 1 with 2 degrees of freedom: t = 4.303, times the root of 1/3 + 1.
  expect([difference, low, high].map((end) => Number(end.toFixed(3)))).toEqual([4, -0.968, 8.968])
})

test('no difference is no evidence, even without variance', () => {
  expect(compare([5, 5], [5, 5])).toEqual({ difference: 0, low: 0, high: 0, pValue: 1 })
})

const sides = fc.record({
  a: fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 }),
  b: fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 8 }),
  within: fc.double({ min: 0.01, max: 10, noNaN: true }),
})

test('the interval contains the difference, excludes 0 exactly if p < 0.05, and mirrors if sides are swapped', () => {
  fc.assert(
    fc.property(sides, ({ a, b, within }) => {
      const there = compare(a, b, within)
      const back = compare(b, a, within)
      expect(there.low).toBeLessThan(there.difference)
      expect(there.high).toBeGreaterThan(there.difference)
      if (Math.abs(there.pValue - 0.05) > 1e-9) {
        expect(there.low > 0 || there.high < 0).toBe(there.pValue < 0.05)
      }
      expect(back.low).toBeCloseTo(-there.high, 9)
      expect(back.pValue).toBeCloseTo(there.pValue, 12)
    }),
    { seed: 1 },
  )
})

function compare(a: readonly number[], b: readonly number[], within = 0) {
  return compareMeans({ a: figures(a, within), b: figures(b, within), confidence: CONFIDENCE })
}

function figures(values: readonly number[], within: number): SideFigures {
  return { values, variances: values.map(() => within), leastVariance: 0, blocks: 5 }
}

/** From tables of Student's t distribution, two-sided. */
test.each([
  { p: 0.05, degrees: 1, critical: 12.706 },
  { p: 0.05, degrees: 4, critical: 2.776 },
  { p: 0.05, degrees: 10, critical: 2.228 },
  { p: 0.05, degrees: 1e6, critical: 1.96 },
  { p: 0.01, degrees: 3, critical: 5.841 },
  { p: 0.001, degrees: 8, critical: 5.041 },
  { p: 0.1, degrees: 2, critical: 2.92 },
])(
  'with $degrees degrees of freedom, $critical is exceeded with probability $p',
  ({ p, degrees, critical }) => {
    expect(criticalT(p, degrees)).toBeCloseTo(critical, 3)
  },
)

test('with one degree of freedom it is the Cauchy distribution, with two it has a closed form', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1000, noNaN: true }), (t) => {
      expect(twoSidedP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 10)
      expect(twoSidedP(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 10)
    }),
    { seed: 1, examples: [[1e-8]] },
  )
})

test('a greater value, or more degrees of freedom, is never likelier', () => {
  const degrees = fc.double({ min: 1, max: 200, noNaN: true })
  const value = fc.double({ min: 0, max: 50, noNaN: true })
  fc.assert(
    fc.property(value, value, degrees, degrees, (t, u, v, w) => {
      expect(twoSidedP(Math.max(t, u), v)).toBeLessThanOrEqual(twoSidedP(Math.min(t, u), v) + 1e-12)
      expect(twoSidedP(t, Math.max(v, w))).toBeLessThanOrEqual(twoSidedP(t, Math.min(v, w)) + 1e-12)
      expect(twoSidedP(-t, v)).toBe(twoSidedP(t, v))
    }),
    { seed: 2 },
  )
})

test('the critical value has its probability', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 0.9, noNaN: true }),
      fc.double({ min: 1, max: 100, noNaN: true }),
      (p, degrees) => {
        expect(twoSidedP(criticalT(p, degrees), degrees)).toBeCloseTo(p, 8)
      },
    ),
    { seed: 3 },
  )
})

test('an unknown value is no evidence, an impossible one is certain', () => {
  expect([twoSidedP(Number.NaN, 4), twoSidedP(Number.POSITIVE_INFINITY, 4), twoSidedP(0, 4)]).toEqual([
    1, 0, 1,
  ])
})

const shape = fc
  .integer({ min: 1, max: 60 })
  .chain((spans) => fc.record({ spans: fc.constant(spans), blockLength: fc.integer({ min: 1, max: spans }) }))

test('a resample has as many spans as the run, each a whole number of times', () => {
  fc.assert(
    fc.property(shape, ({ spans, blockLength }) => {
      for (const weights of resample(spans, blockLength, 5)) {
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(spans)
        expect(weights.every((weight) => Number.isInteger(weight) && weight >= 0)).toBe(true)
      }
    }),
    { seed: 1 },
  )
})

test('a block as long as the run is the run', () => {
  expect(resample(5, 5, 3).map((weights) => [...weights])).toEqual(Array(3).fill([1, 1, 1, 1, 1]))
})

test('neighbors stay together: with two blocks of two, no span is alone', () => {
  for (const weights of resample(4, 2, 50)) {
    expect(['1,1,1,1', '2,2,0,0', '0,0,2,2', '1,2,1,0', '0,1,2,1', '0,2,2,0']).toContain(weights.join())
  }
})

test('the same seed draws the same', () => {
  expect(resample(20, 3, 4)).toEqual(resample(20, 3, 4))
})

test('gives the textbook variance of the mean for independent spans', () => {
  const values = Array.from({ length: 200 }, (_, index) => ((index * 7919) % 200) / 200)
  const variance = blockVariance({
    statistic: meanBy(values),
    resampled: resample(200, 1, 4000),
    spans: 200,
    blockLength: 1,
  })
  expect(variance / (sampleVariance(values) / 200)).toBeCloseTo(1, 1)
})

test('blocks capture more variance of spans that depend on their neighbors', () => {
  const values = Array.from({ length: 200 }, (_, index) => Math.floor(index / 10) % 2)
  const [single, blocks] = [1, 10].map((blockLength) =>
    blockVariance({
      statistic: meanBy(values),
      resampled: resample(200, blockLength, 2000),
      spans: 200,
      blockLength,
    }),
  )
  expect((blocks ?? 0) / (single ?? 1)).toBeGreaterThan(3)
})

test('ignores resamples without a value; a single block gives nothing', () => {
  const statistic = ([first = 0]: Weights) => (first === 0 ? Number.NaN : first)
  const options = { statistic, resampled: [of(0, 2), of(1, 1), of(3, 0)], spans: 2, blockLength: 1 }
  expect(blockVariance(options)).toBe(2 * 2)
  expect(blockVariance({ ...options, blockLength: 2 })).toBe(0)
})

test.each([
  { seconds: 1, block: 1 },
  { seconds: 20, block: 5 },
  { seconds: 60, block: 12 },
  { seconds: 3600, block: 46 },
])('a run of $seconds s is resampled in blocks of $block s', ({ seconds, block }) => {
  expect(blockSeconds(seconds)).toBe(block)
})

function of(...weights: number[]): Weights {
  return Float64Array.from(weights)
}

function resample(spans: number, blockLength: number, resamples: number): Weights[] {
  return resampleBlocks({ spans, blockLength, resamples, random: xoroshiro128plus(42) })
}

function meanBy(values: readonly number[]): (weights: Weights) => number {
  return (weights) => {
    const sum = values.reduce((before, value, index) => before + value * (weights[index] ?? 0), 0)
    return sum / values.length
  }
}

const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })

test('the least is multiplied by their number, the next by one less, and none is less than one before it', () => {
  const adjusted = adjustByHolm([0.02, 0.01, 0.04, 0.03])
  expect(adjusted.map((p) => Number(p.toPrecision(6)))).toEqual([0.06, 0.04, 0.06, 0.06])
})

test('a single comparison stays as it is', () => {
  expect(adjustByHolm([0.03])).toEqual([0.03])
})

test('no p value falls, none passes 1, their order stays, and Bonferroni is never milder', () => {
  fc.assert(
    fc.property(pValues, (values) => {
      const adjusted = adjustByHolm(values)
      for (const [index, p] of values.entries()) {
        const raised = adjusted[index] ?? Number.NaN
        expect(raised).toBeGreaterThanOrEqual(p)
        expect(raised).toBeLessThanOrEqual(Math.min(1, p * values.length))
        for (const [other, q] of values.entries()) {
          if (p < q) expect(raised).toBeLessThanOrEqual(adjusted[other] ?? Number.NaN)
        }
      }
    }),
    { seed: 1 },
  )
})
