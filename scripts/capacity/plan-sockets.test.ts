import { expect, test } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import type { Slo } from '../../contract/slo.ts'
import { conclude } from '../../reports/capacity/conclude.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { loadMix, loadSlo } from '../given-files.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from './next-rate.ts'
import {
  computeOpeningSeconds,
  computeStormSeconds,
  countNormalSockets,
  offerSockets,
  planSockets,
} from './plan-sockets.ts'
import { nextTrial, type PlannedTrial } from './search.ts'

const ROOM = { sockets: 4000, limit: '200 VUs of 20 sockets (--max-vus)' }
const NO_PERCENTILE: Slo = { name: 'none', objectives: [{ routeGroup: '*', errorRateMax: 0.01 }] }

const SUBSCRIPTIONS = {
  axis: 'subscriptions' as const,
  mix: 'subscriptions',
  slo: await loadSlo('subscriptions', '.'),
}

const SLOW = { axis: 'slow-readers' as const, mix: 'slow-readers', slo: await loadSlo('slow-readers', '.') }
const P90: Slo = { name: 'p90', objectives: [{ quantile: 0.9, synchronizeMsMax: 2000 }] }

const STORM: Slo = { name: 'storm', objectives: [{ quantile: 0.99, recoverMsMax: 5000 }] }

const plan = async (given: {
  axis?: 'events' | 'subscriptions' | 'slow-readers'
  from?: number
  to?: number
  slo?: Slo
  mix?: string
}) =>
  planSockets({
    axis: given.axis ?? 'sockets',
    mix: await loadMix(given.mix ?? 'sockets', '.'),
    slo: given.slo ?? (await loadSlo('sockets', '.')),
    from: given.from,
    to: given.to,
    room: ROOM,
  })

test.each([
  ['what the objectives need as samples, up to what fits', {}, [100, 4000]],
  ['the given bounds', { from: 150, to: 900 }, [150, 900]],
  ['50 without a percentile', { slo: NO_PERCENTILE }, [50, 4000]],
  ['--to, if it is lower', { slo: NO_PERCENTILE, to: 20 }, [20, 20]],
  ['10 if events are the load', { axis: 'events' as const, slo: NO_PERCENTILE }, [10, 4000]],
  ['10 sockets full of rooms', { ...SUBSCRIPTIONS, slo: NO_PERCENTILE }, [320, 128_000]],
  ['as many full sockets as the objectives need', SUBSCRIPTIONS, [640, 128_000]],
  ['10 slow readers, with room for 20 normal sockets', SLOW, [10, 3980]],
  ['one slow reader', { ...SLOW, to: 1 }, [1, 1]],
  ['10, with normal sockets for a p90', { ...SLOW, slo: P90 }, [10, 3900]],
  ['--to, if it has enough sockets', { ...SUBSCRIPTIONS, to: 609 }, [609, 609]],
])('searches from %s', async (_, given, [rateStart, rateMax]) => {
  expect(await plan(given)).toEqual({ rateStart, rateMin: rateStart, rateMax })
})

test.each([
  [{ mix: 'reads' }, 'mix reads: no client follows the feed, so there are no sockets to open'],
  [{ from: 150.5 }, '--from 150.5: expected a whole number of sockets'],
  [{ to: 150.5 }, '--to 150.5: expected a whole number of sockets'],
  [{ from: 4001 }, '--axis sockets: 4001 sockets do not fit 200 VUs of 20 sockets (--max-vus)'],
  [{ to: 12_000 }, '--axis sockets: 12,000 sockets do not fit 200 VUs of 20 sockets (--max-vus)'],
  [
    { to: 999, slo: STORM },
    '--axis sockets: 999 sockets are too few for p99 of time to recover at most 5000 ms: it needs 1000 samples',
  ],
  [{ to: 99 }, '--axis sockets: 99 sockets are too few for p90 of auth at most 500 ms: it needs 100 samples'],
])('rejects %j', async (given, message) => {
  await expect(plan(given)).rejects.toThrow(message)
})

test.each([
  [{ mix: 'reads' }, 'mix reads: no client follows the feed, so there are no sockets to open'],
  [{ from: 640.5 }, '--from 640.5: expected a whole number of subscriptions'],
  [
    { to: 608 },
    '--axis subscriptions: 608 subscriptions on 19 sockets are too few for p50 of time to synchronize at most 2000 ms: it needs 20 samples',
  ],
  [
    { to: 128_001 },
    '--axis subscriptions: 128,001 subscriptions do not fit 200 VUs of 20 sockets (--max-vus)',
  ],
])('for subscriptions, rejects %j', async (given, message) => {
  await expect(plan({ ...SUBSCRIPTIONS, ...given })).rejects.toThrow(message)
})

test.each([
  [{ mix: 'reads' }, 'mix reads: no client follows the feed, so there are no sockets to open'],
  [{ from: 1.5 }, '--from 1.5: expected a whole number of slow readers'],
  [
    { to: 3981 },
    '--axis slow-readers: 3981 slow readers and 20 normal sockets do not fit 200 VUs of 20 sockets (--max-vus)',
  ],
])('for slow readers, rejects %j', async (given, message) => {
  await expect(plan({ ...SLOW, ...given })).rejects.toThrow(message)
})

test('a client that joins no rooms has no subscriptions', async () => {
  const { clients, ...mix } = await loadMix('subscriptions', '.')
  const rooms = { pool_stats: 0, ohlcv: 0, trades: 0, pool_launches: 0, protocol_config: 0, balances: 0 }
  const deaf = clients.map((client) => ({ ...client, feed: { rooms, renewAfterSeconds: 45 } }))
  const options = {
    axis: 'subscriptions' as const,
    mix: { ...mix, clients: deaf },
    slo: NO_PERCENTILE,
    room: ROOM,
  }
  expect(() => planSockets({ ...options, from: undefined, to: undefined })).toThrow(
    'mix subscriptions: its client joins no rooms, so there are no subscriptions',
  )
})

test('the size that fits is in the hint', async () => {
  const hint = 'At most 4000 sockets fit. Lower --from or --to, or raise the limit.'
  await expect(plan({ to: 5000 })).rejects.toMatchObject({ hint })
})

test('sockets are due when the last one was opened and had time to synchronize', () => {
  expect(computeOpeningSeconds(250, 100)).toBe(5)
  expect(offerSockets(250, { openedPerSecond: 100, instances: 1 })).toEqual({
    count: 250,
    openedPerSecond: 100,
    vus: 13,
    dueAfterSeconds: 6,
  })
})

test('subscriptions are on as few sockets as the rooms of each allow', () => {
  const options = { openedPerSecond: 100, instances: 1, roomsPerSocket: 32 }
  expect(offerSockets(641, options)).toEqual({
    count: 21,
    openedPerSecond: 100,
    vus: 2,
    dueAfterSeconds: 4,
    rooms: { total: 641, perSocket: 32 },
  })
})

test('slow readers come in addition to the normal sockets', () => {
  expect(countNormalSockets('slow-readers', P90)).toBe(100)
  expect(countNormalSockets('sockets', P90)).toBe(0)
  expect(offerSockets(250, { openedPerSecond: 100, instances: 1, normalSockets: 100 })).toEqual({
    count: 350,
    openedPerSecond: 100,
    vus: 18,
    dueAfterSeconds: 7,
    slowReaders: 250,
  })
})

test('a storm comes a second after all sockets are due', () => {
  const offered = offerSockets(250, { openedPerSecond: 100, instances: 1, recoverWithinSeconds: 10 })
  expect(offered).toMatchObject({
    dueAfterSeconds: 6,
    storm: { cutAfterSeconds: 7, recoverWithinSeconds: 10 },
  })
  expect(computeStormSeconds(10)).toBe(12)
})

test('each load generator gets at least one VU', () => {
  expect(offerSockets(30, { openedPerSecond: 100, instances: 4 }).vus).toBe(4)
})

const GOAL: SearchPlan = {
  ...SEARCH_DEFAULTS,
  axis: 'sockets',
  openingSeconds: (count) => computeOpeningSeconds(count, 100),
  rateStart: 100,
  rateMin: 100,
  warmUpSeconds: 1,
  samplesMin: 0,
}

test.each([120, 150, 300, 1700, 3333])('finds a limit of %i sockets within 10 %%', (limit) => {
  const { found, tried, opening } = search(limit)
  expect(found).not.toBeNull()
  expect(found).toBeLessThanOrEqual(limit)
  expect(found).toBeGreaterThanOrEqual(0.9 * limit)
  expect(tried.every((count) => Number.isInteger(count))).toBe(true)
  expect(opening).toBe(true)
})

const BUDGET = { secondsMax: 3600, secondsUsed: 0, requestsMax: null, requestsUsed: 0 }

/** A target that serves no socket above its limit. */
function search(limit: number) {
  const trials: TrialResult[] = []
  let opening = true
  for (;;) {
    const next = nextTrial({ plan: GOAL, trials, budget: BUDGET })
    if ('done' in next) break
    const { phase, rate, seconds } = next
    opening &&= next.pauseSeconds === 0 && seconds >= GOAL.shortSeconds + GOAL.openingSeconds(rate)
    const isServed = rate <= limit
    trials.push(
      sampleTrial({
        trial: trials.length + 1,
        axis: 'sockets',
        phase,
        rate,
        meanMs: 1,
        target: null,
        secondsPlanned: seconds,
        throughput: Math.min(rate, limit),
        outcome: isServed ? 'pass' : 'fail',
      }),
    )
  }
  const shared = { mix: 'sockets', axis: 'sockets' as const, goal: GOAL, budget: BUDGET, interrupted: false }
  const { rate } = conclude({ ...shared, results: trials })
  return { found: rate, tried: trials.map((trial) => trial.rate), opening }
}

test.each([150, 777, 6000])(
  'finds %i events per second within a tenth, although the market varies',
  (limit) => {
    const plan: SearchPlan = { ...GOAL, axis: 'events', rateStart: 10, rateMin: 10 }
    const trials: TrialResult[] = []
    for (;;) {
      const next = nextTrial({ plan, trials, budget: BUDGET })
      if ('done' in next) break
      expect(next.warmUpSeconds).toBe(1 + computeOpeningSeconds(next.rate, 100))
      expect(next.pauseSeconds).toBe(trials.at(-1)?.outcome === 'fail' ? 4 : 0)
      trials.push(buildEventTrial(next, { limit, trial: trials.length + 1 }))
    }
    const shared = { mix: 'events', axis: 'events' as const, goal: plan, budget: BUDGET, interrupted: false }
    const { eventsPerSecond, overloadEventsPerSecond, statement } = conclude({ ...shared, results: trials })
    expect(conclude({ ...shared, axis: 'subscriptions', results: trials })).toMatchObject({
      ...{ eventsPerSecond, overloadEventsPerSecond },
    })
    expect(eventsPerSecond).toBeLessThanOrEqual(limit)
    expect(eventsPerSecond).toBeGreaterThanOrEqual(0.9 * limit)
    expect(overloadEventsPerSecond).toBeCloseTo(limit)
    expect(statement).toMatch(
      /^\d+ events\/s to \d+ sockets, sustained for 20 s.*; at \d+: late; the trials that failed got \d+ events\/s$/,
    )
  },
)

/** Two events per second and socket, and up to 4 % more or fewer. */
function buildEventTrial(
  { phase, rate, seconds }: PlannedTrial,
  { limit, trial }: { limit: number; trial: number },
): TrialResult {
  const offered = 2 * rate * (1 + 0.04 * Math.sin(trial))
  const isMet = offered <= limit
  return {
    ...sampleTrial({ trial, axis: 'events', phase, rate, meanMs: 1, target: null, seconds }),
    secondsPlanned: seconds,
    outcome: isMet ? 'pass' : 'fail',
    reason: isMet ? 'all objectives passed' : 'late',
    sockets: {
      ...{ served: rate, failed: 0, handshakeP90Ms: 1, synchronizeP90Ms: 1, messagesPerSecond: offered },
      ...{ eventsPerSecond: Math.min(offered, limit), feedDelayP95Ms: isMet ? 400 : 3100, resyncs: 0 },
    },
  }
}

test.each([1300, 2900])('one storm decides a number of sockets, up to %i that recover', (limit) => {
  const seconds = computeStormSeconds(10)
  const durations = { trialSeconds: seconds, finalSeconds: seconds, confirmationSeconds: seconds }
  const plan: SearchPlan = { ...GOAL, ...durations, shortSeconds: seconds, isStorm: true, rateStart: 1000 }
  const trials: TrialResult[] = []
  for (;;) {
    const next = nextTrial({ plan, trials, budget: BUDGET })
    if ('done' in next) break
    const { phase, rate } = next
    expect(next).toMatchObject({ seconds, warmUpSeconds: 1 + computeOpeningSeconds(rate, 100) })
    const outcome = rate <= limit ? ('pass' as const) : ('fail' as const)
    const shared = { trial: trials.length + 1, axis: 'sockets' as const, phase, rate, meanMs: 1, outcome }
    trials.push(sampleTrial({ ...shared, target: null, secondsPlanned: seconds }))
  }
  const shared = { mix: 'sockets', axis: 'sockets' as const, goal: plan, budget: BUDGET, interrupted: false }
  const { rate } = conclude({ ...shared, results: trials })
  expect(rate).toBeLessThanOrEqual(limit)
  expect(rate).toBeGreaterThanOrEqual(0.9 * limit)
  // Each number once, and the found one again.
  expect(trials).toHaveLength(new Set(trials.map((trial) => trial.rate)).size + 1)
})
