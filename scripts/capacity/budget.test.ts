import { expect, test } from 'vitest'
import { affords, computeCost } from './search.ts'

const TRIAL = { rate: 100, pauseSeconds: 1, warmUpSeconds: 2, seconds: 5 }

test('a trial takes its pause, warm-up and seconds, and two to start and end; requests in all but the pause', () => {
  expect(computeCost(TRIAL, { requestsPerIteration: 2.5, overheadSeconds: 2 })).toEqual({
    seconds: 10,
    requests: 1750,
  })
})

test.each([
  { secondsUsed: 290, requestsUsed: 0, requestsMax: null, affordable: true },
  { secondsUsed: 290.1, requestsUsed: 0, requestsMax: null, affordable: false },
  { secondsUsed: 0, requestsUsed: 300, requestsMax: 1000, affordable: true },
  { secondsUsed: 0, requestsUsed: 301, requestsMax: 1000, affordable: false },
])('$secondsUsed s and $requestsUsed requests used: $affordable', ({ affordable, ...used }) => {
  expect(
    affords(
      { secondsMax: 300, ...used },
      computeCost(TRIAL, { requestsPerIteration: 1, overheadSeconds: 2 }),
    ),
  ).toBe(affordable)
})

test('several costs must fit together', () => {
  const budget = { secondsMax: 15, secondsUsed: 0, requestsMax: null, requestsUsed: 0 }
  expect([
    affords(budget, computeCost(TRIAL, { requestsPerIteration: 1, overheadSeconds: 2 })),
    affords(
      budget,
      computeCost(TRIAL, { requestsPerIteration: 1, overheadSeconds: 2 }),
      computeCost(TRIAL, { requestsPerIteration: 1, overheadSeconds: 2 }),
    ),
  ]).toEqual([true, false])
})
