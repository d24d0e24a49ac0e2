// Steady reads at a fixed rate, as a market page and a bot make them: what latency is measured on.
import type { Options } from 'k6/options'
import { config, world } from './lib/config.ts'
import { COMMON_OPTIONS } from './lib/lane.ts'
import { type RequestSpec, send } from './lib/request.ts'
import { vuRandom } from './lib/vu-random.ts'

/** An open model: requests start at the rate asked for, however slow the answers are. */
export const browseScenario: NonNullable<Options['scenarios']> =
  config.browse === null
    ? {}
    : {
        browse: {
          executor: 'constant-arrival-rate',
          rate: config.browse.ratePerSecond,
          timeUnit: '1s',
          duration: `${config.browse.durationSeconds}s`,
          preAllocatedVUs: 30,
          maxVUs: 60,
          gracefulStop: '5s',
          exec: 'browse',
        },
      }

export const options: Options = { ...COMMON_OPTIONS, scenarios: browseScenario }

const READS: readonly { weight: number; access: 'public' | 'cred'; spec: () => RequestSpec }[] = [
  { weight: 4, access: 'public', spec: explorePage },
  { weight: 3, access: 'public', spec: () => ({ method: 'GET', path: '/pools', query: { limit: '50' } }) },
  { weight: 1, access: 'public', spec: () => ({ method: 'GET', path: '/tokens' }) },
  { weight: 2, access: 'cred', spec: () => ({ method: 'GET', path: '/swaps', query: { limit: '50' } }) },
  { weight: 1, access: 'cred', spec: () => ({ method: 'GET', path: '/access/status' }) },
]

export async function browse(): Promise<void> {
  const target = world('main')
  // Without an API token every VU would have to sign in; then only public reads are made.
  const [token] = target.apiTokens
  const { access, spec } = pickWeighted(
    READS.filter((read) => read.access === 'public' || token !== undefined),
    vuRandom(),
  )
  const credential = access === 'cred' && token !== undefined ? { bearer: token } : undefined
  await send(target, { ...spec(), credential })
}

function pickWeighted(reads: typeof READS, chance: number): (typeof READS)[number] {
  const total = reads.reduce((sum, { weight }) => sum + weight, 0)
  let left = chance * total
  for (const read of reads) {
    left -= read.weight
    if (left < 0) return read
  }
  return READS[0] as (typeof READS)[number]
}

function explorePage(): RequestSpec {
  const offset = String(Math.floor(vuRandom() * 3) * 20)
  return { method: 'GET', path: '/explore/pools', query: { window: '1d', limit: '20', offset } }
}
