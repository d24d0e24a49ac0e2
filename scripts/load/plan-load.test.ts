import { expect, test } from 'vitest'
import { type Mix, mixSchema } from '../../contract/mix.ts'
import { requestsPerIteration } from '../../contract/mix-time.ts'
import { choicesSchema } from '../../contract/profile.ts'
import type { Objective, Slo } from '../../contract/slo.ts'
import { loadMix, loadSlo, mixNames } from '../given-files.ts'
import { mustHaveRoom, requireMixMeasuresSlo, vusFor } from './plan-load.ts'

const choices = choicesSchema.parse({})
const judge = async (mix: string, objectives: Objective[]) =>
  requireMixMeasuresSlo({ slo: { name: 'mine', objectives }, mix: await loadMix(mix, '.'), choices })

const latency = (routeGroup: string): Objective => ({ routeGroup, quantile: 0.95, latencyMsMax: 100 })

test.each([
  { mix: 'reads', objectives: [latency('*'), latency('pools'), { droppedRateMax: 0 }] },
  { mix: 'bots', objectives: [latency('route'), latency('auth'), { quantile: 0.5, synchronizeMsMax: 1 }] },
  { mix: 'browser-traders', objectives: [latency('positions'), { quantile: 0.5, feedDelayMsMax: 1 }] },
] satisfies { mix: string; objectives: Objective[] }[])(
  '$mix does what they are about',
  async ({ mix, objectives }) => {
    await expect(judge(mix, objectives)).resolves.toBeUndefined()
  },
)

test.each([
  {
    mix: 'reads',
    objective: latency('route'),
    says: /^objectives mine: cannot be judged with mix reads: p95 of route at most 100 ms: no client requests the route group "route"; /,
  },
  {
    mix: 'reads',
    objective: latency('auth'),
    says: /p95 of auth at most 100 ms: no client requests the route group "auth"; /,
  },
  {
    mix: 'crawler',
    objective: { quantile: 0.5, feedDelayMsMax: 1 },
    says: /p50 of feed delay at most 1 ms: no client uses the WebSocket/,
  },
  { mix: 'crawler', objective: { quantile: 0.5, synchronizeMsMax: 1 }, says: /no client uses the WebSocket/ },
] satisfies { mix: string; objective: Objective; says: RegExp }[])(
  '$mix never could: $objective',
  async ({ mix, objective, says }) => {
    await expect(judge(mix, [latency('*'), objective])).rejects.toMatchObject({
      message: expect.stringMatching(says),
      hint: expect.stringMatching(/^Use other objectives \(--slo\) or another mix \(--mix\)\.$/),
    })
  },
)

test('the objectives of capacity fit every mix', async () => {
  const slo = await loadSlo('capacity', '.')
  for (const name of mixNames()) requireMixMeasuresSlo({ slo, mix: await loadMix(name, '.'), choices })
})

const buildMix = (lifeSeconds: number, more: object = {}): Mix =>
  mixSchema.parse({
    name: 'm',
    description: 'd',
    durationSeconds: 60,
    clients: [
      {
        name: 'c',
        description: 'd',
        credential: 'none',
        arrivalRate: 5,
        sessionDuration: { distribution: 'constant', seconds: lifeSeconds },
        thinkTime: { distribution: 'constant', seconds: 0.95 },
        steps: [
          { weight: 1, requests: ['tokens'] },
          { weight: 1, requests: ['tokens', 'pools-page'] },
        ],
        ...more,
      },
    ],
  })

const slo: Slo = {
  name: 's',
  objectives: [
    { routeGroup: '*', quantile: 0.5, latencyMsMax: 100 },
    { routeGroup: '*', quantile: 0.95, latencyMsMax: 400 },
    { routeGroup: '*', errorRateMax: 0.01 },
  ],
}

test.each([
  // Responses of 1.5 × 400 ms at 400/s: 240, plus 3 × √240.
  { what: 'clients with one request', mix: buildMix(0), rate: 400, vus: 288 },
  // (10 + 0.6) s at 10/s: 106, plus 3 × √106; another 100 are present at the start.
  { what: 'long-lived clients', mix: buildMix(10), rate: 10, vus: 238 },
  {
    what: 'clients that follow the feed for six seconds in one of four steps',
    // Responses of 600 ms, a sign-in of a second and 1.5 s at 100/s: 310, plus 3 × √310.
    mix: buildMix(0, {
      credential: 'session',
      steps: [
        { weight: 1, requests: ['tokens', 'feed-cycle'] },
        { weight: 3, requests: ['tokens'] },
      ],
    }),
    rate: 100,
    vus: 364,
  },
  { what: 'a low rate', mix: buildMix(0), rate: 1, vus: 10 },
])('VUs of $what', ({ mix, rate, vus }) => {
  expect(vusFor({ mix, slo, rate, vusLimit: 10_000 })).toBe(vus)
})

test('never more than the limit', () => {
  expect(vusFor({ mix: buildMix(0), slo, rate: 400, vusLimit: 100 })).toBe(100)
})

test.each<{ what: string; objective: Slo['objectives'][number]; vus: number }>([
  { what: 'no latency', objective: { routeGroup: '*', errorRateMax: 0.01 }, vus: 188 },
  { what: 'one route', objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 20 }, vus: 188 },
  { what: 'the median', objective: { routeGroup: '*', quantile: 0.5, latencyMsMax: 20 }, vus: 188 },
  {
    what: 'one slow route',
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 2000 },
    vus: 353,
  },
  { what: 'all requests', objective: { routeGroup: '*', quantile: 0.9, latencyMsMax: 200 }, vus: 48 },
])('an objective on $what: VUs for responses of one second if it leaves some open', ({ objective, vus }) => {
  const only: Slo = { name: 's', objectives: [objective] }
  expect(vusFor({ mix: buildMix(0), slo: only, rate: 100, vusLimit: 10_000 })).toBe(vus)
})

test.each([
  { what: 'one step', mix: buildMix(0), requests: 1.5 },
  { what: 'one step per second for ten seconds', mix: buildMix(10), requests: 15 },
  { what: 'a client that signs in', mix: buildMix(0, { credential: 'session' }), requests: 5.5 },
])('requests of $what: $requests', ({ mix, requests }) => {
  expect(requestsPerIteration(mix)).toBeCloseTo(requests, 6)
})

test('long-lived clients need room; clients with one request do not', () => {
  expect(() => mustHaveRoom({ mix: buildMix(10), rate: 100, vusLimit: 2000 })).not.toThrow()
  expect(() => mustHaveRoom({ mix: buildMix(0), rate: 1e6, vusLimit: 1 })).not.toThrow()
  expect(() => mustHaveRoom({ mix: buildMix(10), rate: 101, vusLimit: 2000 })).toThrow(
    expect.objectContaining({
      message:
        'mix m: at 101 iterations/s about 1010 clients are present at a time, but --max-vus 2000 allows 1000',
      hint: expect.stringMatching(/^Start with at most 100\/s/),
      exitCode: 2,
    }),
  )
})

test.each([
  { vusLimit: 1000, rate: 67, hint: '66' },
  { vusLimit: 100, rate: 6.7, hint: '6.6' },
  { vusLimit: 10, rate: 0.67, hint: '0.66' },
  { vusLimit: 20_000, rate: 1400, hint: '1300' },
])('with $vusLimit VUs the proposed rate has room: $hint/s', ({ vusLimit, rate, hint }) => {
  const mix = buildMix(7.5)
  expect(() => mustHaveRoom({ mix, rate, vusLimit })).toThrow(
    expect.objectContaining({
      hint: `Start with at most ${hint}/s, or allow more VUs: each takes about 0.5 MB.`,
    }),
  )
  expect(() => mustHaveRoom({ mix, rate: Number(hint), vusLimit })).not.toThrow()
})
