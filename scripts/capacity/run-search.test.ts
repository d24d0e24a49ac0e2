import { expect, test } from 'vitest'
import { writtenIo } from '../../tools/test/written-io.ts'
import { planCapacity } from './plan-capacity.ts'
import { announceSearch } from './run-search.ts'

test.each([
  { precision: 0.07, shown: '7 %' },
  { precision: 0.005, shown: '0.5 %' },
  { precision: 0.125, shown: '12.5 %' },
])('announces a precision of $precision as $shown', async ({ precision, shown }) => {
  const plan = await planCapacity({
    io: writtenIo().io,
    world: 'tiny',
    seed: 1,
    choices: 'default',
    mix: 'reads',
    arrivals: 'even',
    maxVus: 100,
    instances: 1,
    axis: 'rate',
    from: 20,
    precision,
  })
  expect(announceSearch(plan)[1]).toBe(
    `  searching from 20 iterations per second, within ${shown}; mix reads, arrivals even, objectives capacity`,
  )
})
