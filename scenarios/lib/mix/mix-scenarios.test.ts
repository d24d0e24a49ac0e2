import { expect, test } from 'vitest'
import { type Mix, mixSchema } from '../../../contract/mix.ts'
import { estimateVus, mixScenarios } from './mix-scenarios.ts'

const mix = (more: object = {}): Mix =>
  mixSchema.parse({
    name: 'm',
    description: 'd',
    durationSeconds: 60,
    clients: [
      {
        name: 'traders',
        description: 'd',
        credential: 'none',
        arrivalRate: 0.25,
        sessionDuration: { distribution: 'constant', seconds: 39 },
        thinkTime: { distribution: 'constant', seconds: 1 },
        steps: [{ weight: 1, requests: ['tokens'] }],
      },
    ],
    ...more,
  })

test('clients come at their rate, whatever the target does: an open model', () => {
  expect(mixScenarios(mix(), 'mix')).toMatchObject({
    'mix-traders': {
      executor: 'breakwater-arrivals',
      stages: [{ seconds: 60, from: 0.25, to: 0.25 }],
      gracefulStop: '15s',
      exec: 'mix',
      tags: { client: 'traders' },
    },
  })
})

test('a mix that starts as it goes on has those that are there on average from the start', () => {
  const scenarios = mixScenarios(mix({ start: 'steady' }), 'mix')
  expect(Object.keys(scenarios)).toEqual(['mix-traders', 'mix-there-traders'])
  expect(scenarios['mix-there-traders']).toMatchObject({
    executor: 'per-vu-iterations',
    vus: 10,
    iterations: 1,
  })
})

test('VUs: rate times session duration, and three deviations more', () => {
  const [client] = mix().clients
  // 0.25 × (39 + 1) = 10, and 3 × √10.
  expect(client && estimateVus(client)).toBe(21)
})
