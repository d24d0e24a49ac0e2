import { expect, test } from 'vitest'
import type { Slo } from '../../contract/slo.ts'
import { sampleByTree } from '../../tools/test/tree-sample.ts'
import { SEARCH_DEFAULTS } from './next-rate.ts'
import { type SimulatedSearch, simulateSearch, type Target } from './test-simulated-search.ts'

const SLO: Slo = { name: 'test', objectives: [{ routeGroup: '*', quantile: 0.95, latencyMsMax: 250 }] }

type Row = {
  name: string
  target: Omit<Target, 'serviceRate'>
  rates: readonly number[]
  /** Minimum number of searches that find the capacity within 5 %, and within 10 %. */
  within5: number
  within10: number
  medianSecondsMax: number
}

const RATES = [50, 130, 400, 870, 2000]

const ROWS: readonly Row[] = [
  {
    name: 'a steady queue',
    target: { service: 'constant' },
    rates: RATES,
    within5: 1,
    within10: 1,
    medianSecondsMax: 110,
  },
  {
    name: 'a queue that still serves requests of disconnected clients',
    target: { service: 'constant', keepsAbandoned: true },
    rates: RATES,
    within5: 1,
    within10: 1,
    medianSecondsMax: 110,
  },
  {
    name: 'a queue whose requests differ',
    target: { service: 'exponential' },
    // Below these rates, latency reaches its limit well before the capacity.
    rates: [400, 870, 2000],
    within5: 0.95,
    within10: 1,
    medianSecondsMax: 140,
  },
  {
    name: 'a steady queue of clients that arrive at random',
    target: { service: 'constant', arrivals: 'poisson' },
    // Below these rates, latency reaches its limit well before the capacity.
    rates: [130, 400, 870, 2000],
    within5: 0.9,
    within10: 1,
    medianSecondsMax: 140,
  },
  {
    name: 'a queue that pauses for 0.4 s, once per minute',
    target: { service: 'constant', pausesPerMinute: 1, pauseSeconds: 0.4 },
    rates: RATES,
    within5: 0.85,
    within10: 0.97,
    medianSecondsMax: 130,
  },
  {
    name: 'a queue that is half as quick in one of ten trials',
    target: { service: 'constant', disturbedShare: 0.1 },
    rates: RATES,
    within5: 0.95,
    within10: 0.98,
    medianSecondsMax: 120,
  },
  {
    name: 'a queue that fails one of two hundred requests',
    target: { service: 'constant', errorShare: 0.005 },
    rates: RATES,
    within5: 0.95,
    within10: 0.95,
    medianSecondsMax: 120,
  },
]
const drawn = sampleByTree(ROWS, 1)

test.each(drawn)('finds the capacity of $name', ({ target, rates, within5, within10, medianSecondsMax }) => {
  const offBy: number[] = []
  const seconds: number[] = []
  for (let seed = 1; seed <= SEEDS * rates.length; seed += 1) {
    // Rates that doubling does not hit.
    const serviceRate = Math.round((rates[seed % rates.length] ?? 0) * (1 + 0.3 * ((seed * 0.618) % 1)))
    const { capacity, secondsUsed } = search({ ...target, serviceRate }, { seed })
    offBy.push(Math.abs((capacity.rate ?? 0) / serviceRate - 1))
    seconds.push(secondsUsed)
    expect(secondsUsed).toBeLessThanOrEqual(300)
  }
  const share = (width: number) => offBy.filter((off) => off <= width).length / offBy.length
  expect(share(0.05)).toBeGreaterThanOrEqual(within5)
  expect(share(0.1)).toBeGreaterThanOrEqual(within10)
  expect(seconds.sort((left, right) => left - right)[seconds.length >> 1]).toBeLessThanOrEqual(
    medianSecondsMax,
  )
})

const SEEDS = 16

test('a search without limits ends as found and confirmed', () => {
  const { capacity, end, trials } = search({ service: 'constant', serviceRate: 400 })
  expect([end, capacity.rate, capacity.limitedBy, capacity.confirmed, capacity.lowestFailingRate]).toEqual([
    'found',
    400,
    'slo',
    true,
    413,
  ])
  expect(capacity.statement).toMatch(/^400 iterations\/s, sustained for 20 s; at 413: /)
  expect(trials.length).toBeLessThan(15)
})

test('too few VUs end the search as generator-limited, with an achievable rate', () => {
  const { capacity, end } = search({ service: 'constant', serviceRate: 1000 }, { vusMax: 20 })
  expect([end, capacity.rate, capacity.limitedBy]).toEqual(['generator', null, 'generator'])
  expect(capacity.statement).toMatch(/^generator-limited, at least \d+ iterations\/s; at \d+: all 20 VUs/)
  expect(capacity.highestPassingRate).toBeGreaterThan(700)
})

test('reports the lowest rate if none meets the objectives', () => {
  const { capacity, end } = search(
    { service: 'constant', serviceRate: 400, errorShare: 1 },
    { plan: { rateStart: 50, rateMin: 50 } },
  )
  expect([end, capacity.rate, capacity.highestPassingRate, capacity.lowestFailingRate]).toEqual([
    'none',
    null,
    null,
    50,
  ])
  expect(capacity.statement).toBe(
    'no rate tried meets the objectives; at 50: errors of all requests at most 1 %: 100 % of 250 requests',
  )
})

test('the highest allowed rate is not reported as capacity', () => {
  const { capacity, end } = search({ service: 'constant', serviceRate: 400 }, { plan: { rateMax: 300 } })
  expect([end, capacity.rate, capacity.limitedBy, capacity.highestPassingRate]).toEqual([
    'range',
    null,
    'range',
    300,
  ])
  expect(capacity.statement).toBe('at least 300 iterations/s, the highest requested rate, sustained for 20 s')
})

test.each([20, 40, 60, 90, 120])('never takes more than %s s', (secondsMax) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { secondsUsed, capacity } = search(
      { service: 'exponential', serviceRate: 300 + seed, disturbedShare: 0.2 },
      { seed, secondsMax },
    )
    expect(secondsUsed).toBeLessThanOrEqual(secondsMax)
    expect(capacity.statement).not.toBe('')
  }
})

test('a small budget ends with the known bounds, confirmed if possible', () => {
  const { capacity, end } = search({ service: 'constant', serviceRate: 400 }, { secondsMax: 60 })
  expect([end, capacity.rate, capacity.limitedBy, capacity.highestPassingRate, capacity.confirmed]).toEqual([
    'budget',
    null,
    'budget',
    400,
    true,
  ])
})

test.each([1000, 5000, 20_000])('never sends more than %s requests', (requestsMax) => {
  const { capacity } = search({ service: 'constant', serviceRate: 400 }, { requestsMax })
  expect(capacity.budget.requestsUsed).toBeLessThanOrEqual(requestsMax)
})

test('the same seed gives the same result', () => {
  const target: Target = { service: 'exponential', serviceRate: 250, disturbedShare: 0.2, pausesPerMinute: 2 }
  expect(search(target, { seed: 5 })).toEqual(search(target, { seed: 5 }))
})

type Options = { seed?: number; plan?: object; secondsMax?: number; requestsMax?: number; vusMax?: number }

function search(target: Target, options: Options = {}): SimulatedSearch {
  return simulateSearch({
    target,
    slo: SLO,
    seed: 1,
    ...options,
    plan: { ...SEARCH_DEFAULTS, ...options.plan },
  })
}
