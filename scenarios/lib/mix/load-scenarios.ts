import type { Options } from 'k6/options'
import type { Mix, MixClient } from '../../../contract/mix.ts'
import { computeMeanSessionSeconds, meanSeconds } from '../../../contract/mix-time.ts'
import type { OfferedLoad } from '../../../contract/scenario-config.ts'

type Scenarios = NonNullable<Options['scenarios']>
type Functions = { client: string; heartbeat: string }

/** Time for a client's last request and logout when the load ends. */
const LEAVE_SECONDS = 10
/** k6 accepts only integer rates, so rates use this time unit. */
const RATE_UNIT_SECONDS = 1000
/** Minimum time that a client occupies its VU beyond its session. */
const START_AND_END_SECONDS = 1

export function sumStageSeconds({ stages }: OfferedLoad): number {
  return stages.reduce((sum, { seconds }) => sum + seconds, 0)
}

/**
 * Builds the k6 scenarios of a load: arriving clients of each kind at their share of the rate, and one
 * heartbeat per generator. All VUs are preallocated, because creating them takes CPU from the load.
 * Long-lived clients are present from the start, in mid-session, as in a steady state.
 */
export function buildLoadScenarios(mix: Mix, load: OfferedLoad, functions: Functions): Scenarios {
  const totalRate = mix.clients.reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  const clients = load.rateFrom * computeMeanSessionSeconds(mix)
  // With too few VUs for that, dropped iterations report the shortage.
  const presentShare = clients === 0 ? 0 : Math.min(1, load.vusMax / 2 / clients)
  const kinds = mix.clients.map((client) => {
    const share = client.arrivalRate / totalRate
    const sessionSeconds = share * meanSeconds(client.sessionDuration)
    return {
      client,
      share,
      weight: sessionSeconds + share * START_AND_END_SECONDS,
      present: Math.round(load.rateFrom * sessionSeconds * presentShare),
    }
  })
  const weights = kinds.reduce((sum, { weight }) => sum + weight, 0)
  const vusLeft = load.vusMax - kinds.reduce((sum, { present }) => sum + present, 0)
  return Object.fromEntries([
    ['heartbeat', buildHeartbeat(load, functions)],
    ...kinds.flatMap(({ client, share, weight, present }) => [
      buildArrivalScenario(client, {
        load,
        functions,
        share,
        vus: Math.max(load.instances, Math.floor((vusLeft * weight) / weights)),
      }),
      ...(present === 0 ? [] : [buildPresentScenario(client, { load, functions, vus: present })]),
    ]),
  ])
}

function buildHeartbeat(load: OfferedLoad, functions: Functions): Scenarios[string] {
  return {
    executor: 'per-vu-iterations',
    vus: load.instances,
    iterations: 1,
    maxDuration: `${sumStageSeconds(load) + LEAVE_SECONDS}s`,
    exec: functions.heartbeat,
  }
}

/** Arriving clients: an open model, independent of the number present. */
function buildArrivalScenario(
  client: MixClient,
  options: { load: OfferedLoad; functions: Functions; share: number; vus: number },
): [string, Scenarios[string]] {
  const { load, functions, share, vus } = options
  const scaleRate = (rate: number) => Math.max(1, Math.round(rate * share * RATE_UNIT_SECONDS))
  const [only] = load.stages
  const shared = {
    timeUnit: `${RATE_UNIT_SECONDS}s`,
    preAllocatedVUs: vus,
    maxVUs: vus,
    ...buildSharedSettings(client, functions, 'during'),
  }
  if (only !== undefined && load.stages.every(({ rate }) => rate === load.rateFrom)) {
    const rate = scaleRate(only.rate)
    return [
      `mix-${client.name}`,
      { executor: 'constant-arrival-rate', rate, duration: `${sumStageSeconds(load)}s`, ...shared },
    ]
  }
  const stages = load.stages.map(({ seconds, rate }) => ({
    target: scaleRate(rate),
    duration: `${seconds}s`,
  }))
  return [
    `mix-${client.name}`,
    { executor: 'ramping-arrival-rate', startRate: scaleRate(load.rateFrom), stages, ...shared },
  ]
}

/** Clients that are present at the start. */
function buildPresentScenario(
  client: MixClient,
  { load, functions, vus }: { load: OfferedLoad; functions: Functions; vus: number },
): [string, Scenarios[string]] {
  return [
    `mix-there-${client.name}`,
    {
      executor: 'per-vu-iterations',
      vus,
      iterations: 1,
      maxDuration: `${sumStageSeconds(load)}s`,
      ...buildSharedSettings(client, functions, 'before'),
    },
  ]
}

function buildSharedSettings({ name }: MixClient, functions: Functions, arrives: 'before' | 'during') {
  return {
    gracefulStop: `${LEAVE_SECONDS}s`,
    exec: functions.client,
    tags: { client: name },
    env: { BREAKWATER_MIX_CLIENT: name, BREAKWATER_MIX_ARRIVES: arrives },
  }
}
