import { expect, test } from 'vitest'
import { sampleCapacity, sampleTrial } from '../capacity/sample-capacity.ts'
import { drawableTrials } from './step-charts.ts'
import { stepGists } from './step-gists.ts'

const at = (rate: number, options: Partial<Parameters<typeof sampleTrial>[0]> = {}) =>
  sampleTrial({ trial: rate, rate, meanMs: 3, ...options })

test('an overloaded target completes less than was offered, and gets slow', () => {
  expect(stepGists(drawableTrials(sampleCapacity()))).toEqual({
    throughput: 'At 800 offered iterations/s, only 400 were completed.',
    latency: 'p95 rose from 8.7 ms at 100/s to 7500 ms at 800/s.',
  })
})

test('a target that keeps up, with a slow start', () => {
  expect(stepGists([at(50, { meanMs: 9 }), at(100, { throughput: 96 })])).toEqual({
    throughput: 'Throughput kept up with the offered rate, up to 100 iterations/s.',
    latency: 'p95 was highest at the lowest rate: 27 ms at 50/s.',
  })
})

test('uses p50 without any p95; dropped iterations make a percentile infinite', () => {
  expect(stepGists([at(50, { p95Ms: null }), at(100, { p95Ms: null, p50Ms: 'infinite' })]).latency).toBe(
    'p50 rose from 2.1 ms at 50/s to infinite at 100/s.',
  )
  expect(stepGists([at(50, { p95Ms: null, p50Ms: null })]).latency).toBe(
    'Too few requests per trial for a percentile.',
  )
})

test('a stage that ramps counts at its average rate', () => {
  expect(stepGists([at(50, { rateFrom: 10, throughput: 20 })]).throughput).toBe(
    'At 30 offered iterations/s, only 20 were completed.',
  )
})
