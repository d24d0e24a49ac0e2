import type { Options } from 'k6/options'
import type { Mix, MixClient } from '../../../contract/mix.ts'
import { meanSeconds } from '../../../contract/mix-time.ts'

type Scenarios = NonNullable<Options['scenarios']>

/** Of sign-in, last requests and leave-taking, which come on top of a life. */
const BESIDE_LIFE_SECONDS = 1
const LEAVE_SECONDS = 10

/** The k6 scenarios of a mix. Names end in the name of the client; `exec` is the exported function that runs one. */
export function mixScenarios(mix: Mix, exec: string): Scenarios {
  return Object.fromEntries(
    mix.clients.flatMap((client) => [...coming(mix, client, exec), ...there(mix, client, exec)]),
  )
}

const PREFIX = 'mix-'

/** Whether a scenario of k6, by its name, is part of a mix. */
export function isMixScenario(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Those that come: at their rate, however many are there already. */
function coming(mix: Mix, client: MixClient, exec: string): [string, Scenarios[string]][] {
  const vus = vusOf(client)
  return [
    [
      `${PREFIX}${client.name}`,
      {
        executor: 'constant-arrival-rate',
        // k6 takes whole numbers only.
        rate: Math.max(1, Math.round(client.arrivalsPerSecond * 1000)),
        timeUnit: '1000s',
        duration: `${mix.durationSeconds}s`,
        preAllocatedVUs: vus,
        maxVUs: vus * 2,
        gracefulStop: `${LEAVE_SECONDS}s`,
        exec,
        tags: { client: client.name },
        env: { BREAKWATER_MIX_CLIENT: client.name, BREAKWATER_MIX_ARRIVES: 'meanwhile' },
      },
    ],
  ]
}

/** Those that are there at the start, where the mix starts as it goes on. */
function there(mix: Mix, client: MixClient, exec: string): [string, Scenarios[string]][] {
  const count = Math.round(client.arrivalsPerSecond * meanSeconds(client.life))
  if (mix.start !== 'steady' || count === 0) return []
  return [
    [
      `${PREFIX}there-${client.name}`,
      {
        executor: 'per-vu-iterations',
        vus: count,
        iterations: 1,
        maxDuration: `${mix.durationSeconds}s`,
        gracefulStop: `${LEAVE_SECONDS}s`,
        exec,
        tags: { client: client.name },
        env: { BREAKWATER_MIX_CLIENT: client.name, BREAKWATER_MIX_ARRIVES: 'before' },
      },
    ],
  ]
}

/**
 * How many are there at once (Little's law: their rate times their mean life), and three deviations more, as if their
 * number were Poisson distributed. A client is a VU for the whole of its life.
 */
export function vusOf({ arrivalsPerSecond, life }: MixClient): number {
  const mean = arrivalsPerSecond * (meanSeconds(life) + BESIDE_LIFE_SECONDS)
  return Math.ceil(mean + 3 * Math.sqrt(mean)) + 1
}
