import { expect, test } from 'vitest'
import type { Objective } from '../../contract/slo.ts'
import { loadMix } from '../load-mix.ts'
import { tooShort } from './too-short.ts'

const P95: Objective = { routeGroup: '*', quantile: 0.95, latencyMsMax: 250 }

test.each<{ what: string; objective: Objective; seconds: number; lines: string[] }>([
  {
    what: 'a p95 of too few',
    objective: P95,
    seconds: 39,
    lines: [
      'p95 of all requests at most 250 ms: will not be judged, as it takes 200 requests: at 5 a second a load of 40 s',
    ],
  },
  { what: 'a p95', objective: P95, seconds: 40, lines: [] },
  {
    what: 'a p95 of short windows',
    objective: { ...P95, windowSeconds: 10 },
    seconds: 400,
    lines: [
      'p95 of all requests at most 250 ms in each 10 s: will not be judged, as it takes 200 requests: at 5 a second windows of 40 s',
    ],
  },
  { what: 'a group of routes', objective: { ...P95, routeGroup: 'pools' }, seconds: 1, lines: [] },
  { what: 'errors', objective: { routeGroup: '*', errorRateMax: 0.01 }, seconds: 1, lines: [] },
])('of $what in $seconds s', async ({ objective, seconds, lines }) => {
  const mix = await loadMix('reads', '.')
  expect(tooShort({ slo: { name: 's', objectives: [objective] }, mix, rate: 5, seconds })).toEqual(lines)
})
