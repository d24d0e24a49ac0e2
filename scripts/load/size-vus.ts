import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix, MixClient } from '../../contract/mix.ts'
import { meanLifeOf, meanSeconds } from '../../contract/mix-time.ts'
import type { Slo } from '../../contract/slo.ts'
import { ALL_ROUTES } from '../../reports/series/group-routes.ts'

/** Where no objective says how long any answer may take. */
const LATENCY_MS_MAX = 1000
/** An objective on a smaller share of all requests leaves open how long the others take. */
const QUANTILE_OF_ALL = 0.9
/** Answers that take so many times what the slowest objective allows still find a VU. */
const LATENCY_ROOM = 1.5
const SIGN_IN_SECONDS = 1
const VUS_MIN = 10

/**
 * The VUs that a load needs where the target meets its objectives: those of Little's law (rate times the time that a client
 * takes), and three deviations more. With these, clients are dropped only where the target is too slow. Clients that live on
 * come twice: those who are there at the start, and those who come meanwhile.
 */
export function vusFor(options: { mix: Mix; slo: Slo; rate: number; vusLimit: number }): number {
  const { mix, slo, rate, vusLimit } = options
  const all = mix.clients.reduce((sum, { arrivalsPerSecond }) => sum + arrivalsPerSecond, 0)
  const answerSeconds = (LATENCY_ROOM * slowestAllowedMs(slo)) / 1000
  const vus = mix.clients.reduce((sum, client) => {
    const arrivals = (rate * client.arrivalsPerSecond) / all
    const mean = arrivals * secondsOf(client, answerSeconds)
    return sum + Math.ceil(arrivals * meanSeconds(client.life) + mean + 3 * Math.sqrt(mean)) + 1
  }, 0)
  return Math.max(mix.clients.length, Math.min(vusLimit, Math.max(VUS_MIN, vus)))
}

/**
 * Refuses a rate at which the clients that live on are more than there may be VUs: they would be turned away from the start. Throws
 * a BreakwaterError (usage).
 */
export function mustHaveRoom(options: { mix: Mix; rate: number; vusLimit: number }): void {
  const { mix, rate, vusLimit } = options
  // Those that are there at the start, and those that take their places.
  const vusOfOne = 2 * meanLifeOf(mix)
  if (rate * vusOfOne <= vusLimit) return
  throw new BreakwaterError(
    `mix ${mix.name}: at ${rate} iterations a second some ${Math.round((rate * vusOfOne) / 2)} clients are there at a time, and --max-vus ${vusLimit} has room for ${Math.floor(vusLimit / 2)}`,
    {
      hint: `Begin with ${Number((vusLimit / vusOfOne).toPrecision(2))} a second at the most, or allow more VUs: each takes about half a megabyte.`,
    },
  )
}

function secondsOf({ life, credential }: MixClient, answerSeconds: number): number {
  return meanSeconds(life) + answerSeconds + (credential === 'session' ? SIGN_IN_SECONDS : 0)
}

/** What objectives say of some routes, or of the median, says nothing of the other requests: clients wait for those as well. */
function slowestAllowedMs({ objectives }: Slo): number {
  const latencies = objectives.filter((objective) => 'latencyMsMax' in objective)
  const isOfAll = latencies.some(
    ({ routeGroup, quantile }) => routeGroup === ALL_ROUTES && quantile >= QUANTILE_OF_ALL,
  )
  return Math.max(...latencies.map(({ latencyMsMax }) => latencyMsMax), isOfAll ? 0 : LATENCY_MS_MAX)
}
