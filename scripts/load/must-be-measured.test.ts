import { expect, test } from 'vitest'
import type { Objective } from '../../contract/slo.ts'
import { loadMix } from '../load-mix.ts'
import { mustBeMeasured } from './must-be-measured.ts'

const LATENCY = { quantile: 0.5, latencyMsMax: 5 }

test.each<{ mix: string; objective: Objective; says: object | undefined }>([
  { mix: 'reads', objective: { ...LATENCY, routeGroup: '*' }, says: undefined },
  { mix: 'reads', objective: { ...LATENCY, routeGroup: 'tokens' }, says: undefined },
  { mix: 'reads', objective: { droppedRateMax: 0.1 }, says: undefined },
  {
    mix: 'reads',
    objective: { ...LATENCY, routeGroup: 'swaps' },
    says: {
      message: 'mine.json: p50 of swaps at most 5 ms: the mix reads has nothing of it',
      hint: 'Its requests are of the route groups explore, pools, tokens; * is all of them.',
      exitCode: 2,
    },
  },
  {
    mix: 'reads',
    objective: { quantile: 0.95, feedDelayMsMax: 500 },
    says: { message: expect.stringContaining('the mix reads has nothing of it'), exitCode: 2 },
  },
  { mix: 'market', objective: { quantile: 0.95, feedDelayMsMax: 500 }, says: undefined },
  // What signing in asks for is known once it is done.
  { mix: 'market', objective: { ...LATENCY, routeGroup: 'auth' }, says: undefined },
  // Paths that the profile tells.
  { mix: 'crawler', objective: { ...LATENCY, routeGroup: 'compliance' }, says: undefined },
])('$mix, $objective', async ({ mix, objective, says }) => {
  const loaded = await loadMix(mix, '.')
  const check = () => mustBeMeasured({ name: 's', objectives: [objective] }, loaded, 'mine.json')
  if (says === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining(says))
})
