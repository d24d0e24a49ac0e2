import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Objective } from '../../contract/slo.ts'
import { loadMix, mixNames } from '../load-mix.ts'
import { loadSlo } from '../load-slo.ts'
import { requireSloOfMix } from './plan-load.ts'

const choices = choicesSchema.parse({})
const judge = async (mix: string, objectives: Objective[]) =>
  requireSloOfMix({ slo: { name: 'mine', objectives }, mix: await loadMix(mix, '.'), choices })

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
    says: /^objectives mine: with mix reads they cannot be judged: p95 of route at most 100 ms: no client asks for that$/,
  },
  { mix: 'reads', objective: latency('auth'), says: /p95 of auth at most 100 ms: no client asks for that/ },
  {
    mix: 'crawler',
    objective: { quantile: 0.5, feedDelayMsMax: 1 },
    says: /p50 of feed delay at most 1 ms: no client follows the feed/,
  },
  { mix: 'crawler', objective: { quantile: 0.5, synchronizeMsMax: 1 }, says: /no client follows the feed/ },
] satisfies { mix: string; objective: Objective; says: RegExp }[])(
  '$mix never could: $objective',
  async ({ mix, objective, says }) => {
    await expect(judge(mix, [latency('*'), objective])).rejects.toMatchObject({
      message: expect.stringMatching(says),
      hint: expect.stringMatching(/^Requests of the mix are in the route groups \*, .*explore/),
    })
  },
)

test('the objectives of capacity suit every mix', async () => {
  const slo = await loadSlo('capacity', '.')
  for (const name of mixNames()) requireSloOfMix({ slo, mix: await loadMix(name, '.'), choices })
})
