import type { Options } from 'k6/options'
import type { Mix, MixClient } from '../../../contract/mix.ts'
import { meanSeconds } from '../../../contract/mix-time.ts'
import { LEAVE_SECONDS } from '../requests/request-timeout.ts'
import { arrivalScenario } from './arrival-scenario.ts'

type Scenarios = NonNullable<Options['scenarios']>

/** Sign-in, last requests and logout, on top of the session. */
const START_AND_END_SECONDS = 1

/**
 * Builds the k6 scenarios of a mix. Names end in the client's name; `exec` is the exported function that runs
 * one client.
 */
export function mixScenarios(mix: Mix, exec: string): Scenarios {
  return Object.fromEntries(
    mix.clients.flatMap((client) => [...coming(mix, client, exec), ...there(mix, client, exec)]),
  )
}

const PREFIX = 'mix-'

export function isMixScenario(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Arriving clients: an open model, independent of the number present. */
function coming(mix: Mix, client: MixClient, exec: string): [string, Scenarios[string]][] {
  const vus = estimateVus(client)
  return [
    [
      `${PREFIX}${client.name}`,
      arrivalScenario({
        arrivals: 'even',
        seed: 0,
        stages: [{ seconds: mix.durationSeconds, from: client.arrivalRate, to: client.arrivalRate }],
        vus,
        maxVUs: vus * 2,
        gracefulStop: `${LEAVE_SECONDS}s`,
        exec,
        tags: { client: client.name },
        env: { BREAKWATER_MIX_CLIENT: client.name, BREAKWATER_MIX_ARRIVES: 'during' },
      }),
    ],
  ]
}

/** Clients that are present at the start of a steady mix. */
function there(mix: Mix, client: MixClient, exec: string): [string, Scenarios[string]][] {
  const count = Math.round(client.arrivalRate * meanSeconds(client.sessionDuration))
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
 * Number of concurrent clients by Little's law (arrival rate times mean session) plus three standard
 * deviations of a Poisson distribution. A client occupies a VU for its whole session.
 */
export function estimateVus({ arrivalRate, sessionDuration }: MixClient): number {
  const mean = arrivalRate * (meanSeconds(sessionDuration) + START_AND_END_SECONDS)
  return Math.ceil(mean + 3 * Math.sqrt(mean)) + 1
}
