import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketSamples } from '../synthetic-run.ts'
import {
  addInfinite,
  addPart,
  type BucketCounts,
  computeMeanExcess,
  computeQuantile,
  computeRank,
  countAbove,
  createHistogram,
  type Histogram,
  mergeInto,
} from './histogram.ts'

const samples = fc.array(fc.double({ min: 1e-3, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 })
const quantile = fc.double({ min: 0.001, max: 0.999, noNaN: true })

test('a percentile has an error of at most 0.3 %', () => {
  fc.assert(
    fc.property(samples, quantile, (values, q) => {
      const exact = nearestRank(values, q)
      expect(Math.abs((computeQuantile(buildHistogram(values), q) ?? 0) - exact)).toBeLessThanOrEqual(
        0.003 * exact,
      )
    }),
    { seed: 1 },
  )
})

test('merging two histograms is the histogram of all their samples', () => {
  const some = fc.array(
    fc.oneof(
      samples.map(([value = 1]) => value),
      fc.constant(0),
      fc.constant(-7),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(some, some, fc.nat(3), fc.nat(3), (left, right, droppedLeft, droppedRight) => {
      const merged = buildHistogram(left)
      addInfinite(merged, droppedLeft)
      const other = buildHistogram(right)
      addInfinite(other, droppedRight)
      mergeInto(merged, other)
      const whole = buildHistogram([...left, ...right])
      addInfinite(whole, droppedLeft + droppedRight)
      expect(describeHistogram(merged)).toEqual(describeHistogram(whole))
    }),
    { seed: 2 },
  )
})

test('merging often adds no room', () => {
  const sum = createHistogram()
  for (let time = 0; time < 50; time += 1) {
    const merged = buildHistogram([1, 2])
    mergeInto(merged, sum)
    mergeInto(sum, merged)
  }
  // 128 between 1 and 2, and as many free ones on both sides.
  expect(sum.positive.counts.length).toBe(3 * 128 + 1)
})

test('a higher percentile is never a smaller value', () => {
  fc.assert(
    fc.property(samples, quantile, quantile, (values, a, b) => {
      const histogram = buildHistogram(values)
      const [low, high] = [
        computeQuantile(histogram, Math.min(a, b)),
        computeQuantile(histogram, Math.max(a, b)),
      ]
      expect(low).toBeLessThanOrEqual(high ?? 0)
    }),
    { seed: 3 },
  )
})

test('a single sample is every percentile exactly, clamped to min and max', () => {
  expect([0.01, 0.5, 0.99].map((q) => computeQuantile(buildHistogram([3.3]), q))).toEqual([3.3, 3.3, 3.3])
})

test('the value of a bucket is its geometric middle', () => {
  // The bucket of 2 ends at 2 and starts a 128th of an octave below.
  expect(computeQuantile(buildHistogram([1, 2, 2, 4]), 0.5)).toBeCloseTo(2 * 2 ** (-0.5 / 128), 12)
})

test.each([
  { q: 0.5, expected: 0 },
  { q: 0.2, expected: -(2 ** (-0.5 / 128)) },
  { q: 0.9, expected: 2 ** (-0.5 / 128) },
])('handles negative and zero samples: percentile $q is $expected', ({ q, expected }) => {
  const histogram = createHistogram()
  const bucket = bucketSamples([1])
  addPart(histogram, { count: 4, min: -1, max: 1, zero: 2, buckets: bucket, negative: bucket })
  expect(computeQuantile(histogram, q)).toBe(expected)
})

test.each([
  { dropped: 4, q: 0.95, infinite: false },
  { dropped: 5, q: 0.95, infinite: false },
  { dropped: 6, q: 0.95, infinite: true },
  { dropped: 100, q: 0.5, infinite: false },
  { dropped: 101, q: 0.5, infinite: true },
])('$dropped infinite samples next to 100: percentile $q is infinite: $infinite', (row) => {
  const histogram = buildHistogram(Array(100).fill(5))
  addInfinite(histogram, row.dropped)
  expect(computeQuantile(histogram, row.q) === Number.POSITIVE_INFINITY).toBe(row.infinite)
})

test('has no percentile without samples', () => {
  expect(computeQuantile(createHistogram(), 0.5)).toBeUndefined()
})

test('a percentile exceeds a limit if more samples than its rank allows do', () => {
  const limits = fc.oneof(fc.double({ min: 1e-3, max: 1e7, noNaN: true }), fc.constant('a sample' as const))
  fc.assert(
    fc.property(samples, fc.nat(20), limits, quantile, (values, infinite, drawn, q) => {
      const histogram = buildHistogram(values)
      addInfinite(histogram, infinite)
      const limit = drawn === 'a sample' ? (values[0] ?? 0) : drawn
      fc.pre(limit >= histogram.min)
      const beyond = histogram.count - computeRank(q, histogram.count)
      expect(countAbove(histogram, limit) > beyond).toBe((computeQuantile(histogram, q) ?? 0) > limit)
    }),
  )
})

test('samples at the limit are not above it, although the middle of their bucket is', () => {
  // The bucket of 1.001 is (1, 1.0054].
  expect([1.001, 1.0009].map((limit) => countAbove(buildHistogram([1.001]), limit))).toEqual([0, 1])
})

function buildHistogram(values: readonly number[]): Histogram {
  const histogram = createHistogram()
  for (const value of values) {
    const part = { count: 1, min: value, max: value, zero: value === 0 ? 1 : 0 }
    const [buckets, negative] = [
      bucketSamples(value > 0 ? [value] : []),
      bucketSamples(value < 0 ? [-value] : []),
    ]
    addPart(histogram, { ...part, buckets, negative })
  }
  return histogram
}

/** Without the free room of its buckets. */
function describeHistogram({ positive, negative, ...rest }: Histogram) {
  const filled = ({ first, counts }: BucketCounts) =>
    [...counts].flatMap((count, position) => (count > 0 ? [[first + position, count]] : []))
  return { ...rest, positive: filled(positive), negative: filled(negative) }
}

function nearestRank(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil(q * values.length)) - 1] ?? Number.NaN
}

test('the mean of what samples exceed a limit by', () => {
  const histogram = buildHistogram([100, 300, 500, 900])
  expect(Math.abs(computeMeanExcess(histogram, 400) - 150)).toBeLessThan(1.5)
  expect(Math.abs(computeMeanExcess(histogram, 0) - 450)).toBeLessThan(1.5)
  expect(computeMeanExcess(createHistogram(), 0)).toBe(0)
})

test.each([
  ['16 bits hold', [60_000, 5535], Uint16Array],
  ['need more than 16 bits', [60_000, 5536], Float64Array],
  ['need more than 32 bits', [2 ** 40, 1], Float64Array],
  ['are no whole numbers', [0.5, 0.25], Float64Array],
])('counts that %s are exact, in one histogram and merged', (_, [first = 0, second = 0], kind) => {
  const [one, other] = [createHistogram(), createHistogram()]
  for (const count of [first, second]) addPart(one, { count, min: 1, max: 1, zero: 0, buckets: [[7, count]] })
  addPart(other, { count: 3, min: 1, max: 1, zero: 0, buckets: [[9, 3]] })
  mergeInto(other, one)
  for (const { positive } of [one, other]) {
    expect(positive.counts).toBeInstanceOf(kind)
    expect(positive.counts[7 - positive.first]).toBe(first + second)
  }
  expect(other.positive.counts[9 - other.positive.first]).toBe(3)
})
