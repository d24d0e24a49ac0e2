import fc from 'fast-check'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { expect, test } from 'vitest'
import {
  blockSeconds,
  blockVariance,
  resampleBlocks,
  sampleVariance,
  type Weights,
} from './block-bootstrap.ts'

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

test('neighbours come together: of two blocks of two, no span comes without one beside it', () => {
  for (const weights of resample(4, 2, 50)) {
    expect(['1,1,1,1', '2,2,0,0', '0,0,2,2', '1,2,1,0', '0,1,2,1', '0,2,2,0']).toContain(weights.join())
  }
})

test('the same seed draws the same', () => {
  expect(resample(20, 3, 4)).toEqual(resample(20, 3, 4))
})

test('of spans that do not depend on each other, the variance of their mean is that of textbooks', () => {
  const values = Array.from({ length: 200 }, (_, index) => ((index * 7919) % 200) / 200)
  const variance = blockVariance({
    statistic: meanBy(values),
    resampled: resample(200, 1, 4000),
    spans: 200,
    blockLength: 1,
  })
  expect(variance / (sampleVariance(values) / 200)).toBeCloseTo(1, 1)
})

test('of spans that stay high or low for long, blocks see more of the variance than single spans', () => {
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

test('a statistic that some resamples do not have is judged by the others; nothing of a single block', () => {
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
