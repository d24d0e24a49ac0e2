import { expect, test } from 'vitest'
import { type Mix, mixSchema } from '../../../contract/mix.ts'
import type { OfferedLoad } from '../../../contract/scenario-config.ts'
import { buildLoadScenarios, estimateVus, mixScenarios, sumStageSeconds } from './mix-scenarios.ts'

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

const FUNCTIONS = { client: 'client', sockets: 'sockets', heartbeat: 'heartbeat' }

const client = (name: string, arrivalRate: number, lifeSeconds: number) => ({
  name,
  description: 'd',
  credential: 'none',
  arrivalRate,
  sessionDuration: { distribution: 'constant', seconds: lifeSeconds },
  thinkTime: { distribution: 'constant', seconds: 1 },
  steps: [{ weight: 1, requests: ['tokens'] }],
})

const buildMix = (...clients: object[]): Mix =>
  mixSchema.parse({ name: 'm', description: 'd', durationSeconds: 60, clients })

const load = (more: Partial<OfferedLoad> = {}): OfferedLoad => ({
  stages: [{ seconds: 7, rate: 400 }],
  rateFrom: 400,
  arrivals: { kind: 'even', file: null },
  seed: 3,
  vusMax: 300,
  instances: 1,
  ...more,
})

test('a constant rate arrives evenly, and all VUs are preallocated', () => {
  expect(buildLoadScenarios(buildMix(client('readers', 20, 0)), load(), FUNCTIONS)).toEqual({
    heartbeat: {
      executor: 'per-vu-iterations',
      vus: 1,
      iterations: 1,
      maxDuration: '22s',
      exec: 'heartbeat',
    },
    'mix-readers': {
      executor: 'breakwater-arrivals',
      arrivals: 'even',
      seed: 3,
      stages: [{ seconds: 7, from: 400, to: 400 }],
      vus: 300,
      gracefulStop: '15s',
      exec: 'client',
      tags: { client: 'readers' },
      env: { BREAKWATER_MIX_CLIENT: 'readers', BREAKWATER_MIX_ARRIVES: 'during' },
    },
  })
})

test('stages ramp from each rate to the next', () => {
  const stages = [
    { seconds: 5, rate: 10 },
    { seconds: 20, rate: 100 },
  ]
  const offered = load({ stages, rateFrom: 10 })
  expect(sumStageSeconds(offered)).toBe(25)
  expect(
    buildLoadScenarios(buildMix(client('readers', 20, 0)), offered, FUNCTIONS)['mix-readers'],
  ).toMatchObject({
    stages: [
      { seconds: 5, from: 10, to: 10 },
      { seconds: 20, from: 10, to: 100 },
    ],
  })
})

test('clients share rate and VUs in proportion to the mix; long-lived ones are present from the start', () => {
  const mix = buildMix(client('readers', 30, 0), client('watchers', 10, 4))
  const scenarios = buildLoadScenarios(
    mix,
    load({ rateFrom: 40, stages: [{ seconds: 7, rate: 40 }] }),
    FUNCTIONS,
  )
  expect(Object.keys(scenarios)).toEqual(['heartbeat', 'mix-readers', 'mix-watchers', 'mix-there-watchers'])
  // With 300 VUs, 10/s × 4 s = 40 are present at the start; the other 260 are split by rate × (session + 1 s):
  // 3 × 1 to 1 × 5.
  expect(scenarios).toMatchObject({
    'mix-readers': { stages: [{ from: 30, to: 30 }], vus: 97 },
    'mix-watchers': { stages: [{ from: 10, to: 10 }], vus: 162 },
    'mix-there-watchers': { executor: 'per-vu-iterations', vus: 40, iterations: 1 },
  })
})

test('each of several generators has a heartbeat, and a VU for each kind of client', () => {
  const scenarios = buildLoadScenarios(
    buildMix(client('readers', 1, 0)),
    load({ instances: 3, vusMax: 1 }),
    FUNCTIONS,
  )
  expect(scenarios).toMatchObject({ heartbeat: { vus: 3 }, 'mix-readers': { vus: 3 } })
})

test('with more clients than VUs, half of the VUs are used at the start', () => {
  const mix = buildMix(client('watchers', 10, 60), client('others', 10, 20))
  const scenarios = buildLoadScenarios(mix, load({ rateFrom: 20, vusMax: 400 }), FUNCTIONS)
  expect(scenarios).toMatchObject({ 'mix-there-watchers': { vus: 150 }, 'mix-there-others': { vus: 50 } })
})

test('the arrivals of a recorded timeline are dealt out to the kinds of clients', () => {
  const mix = buildMix(client('readers', 30, 0), client('watchers', 10, 0))
  const arrivals = { kind: 'trace', file: '/tmp/times.txt' } as const
  const stages = [{ seconds: 7, from: 400, to: 400 }]
  expect(buildLoadScenarios(mix, load({ arrivals }), FUNCTIONS)).toMatchObject({
    'mix-readers': {
      arrivals: 'trace',
      file: '/tmp/times.txt',
      part: { from: 0, to: 0.75 },
      stages,
      seed: 3,
    },
    'mix-watchers': {
      arrivals: 'trace',
      file: '/tmp/times.txt',
      part: { from: 0.75, to: 1 },
      stages,
      seed: 3,
    },
  })
})

test('sockets replace the arrivals: each VU opens its share in one iteration', () => {
  const mix = buildMix(client('listeners', 1, 30))
  const sockets = { count: 250, openedPerSecond: 100, vus: 13, dueAfterSeconds: 6 }
  const scenarios = buildLoadScenarios(
    mix,
    load({ sockets, stages: [{ seconds: 12, rate: 250 }] }),
    FUNCTIONS,
  )
  expect(Object.keys(scenarios)).toEqual(['heartbeat', 'sockets'])
  expect(scenarios.sockets).toEqual({
    executor: 'per-vu-iterations',
    vus: 13,
    iterations: 1,
    maxDuration: '27s',
    gracefulStop: '15s',
    exec: 'sockets',
  })
})
