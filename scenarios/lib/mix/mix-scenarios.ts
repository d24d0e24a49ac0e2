/** The k6 scenarios of a mix, and of a load: a mix at a given rate. */
import type { Options } from 'k6/options'
import type { Mix, MixClient } from '../../../contract/mix.ts'
import { computeMeanSessionSeconds, meanSeconds } from '../../../contract/mix-time.ts'
import type { Arrivals, OfferedLoad, OfferedSockets } from '../../../contract/scenario-config.ts'
import { LEAVE_SECONDS } from '../requests/request-timeout.ts'

type Scenarios = NonNullable<Options['scenarios']>

/** Sign-in, last requests and logout: the minimum time that a client occupies its VU beyond its session. */
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

type Functions = { client: string; sockets: string; heartbeat: string }

export function sumStageSeconds({ stages }: OfferedLoad): number {
  return stages.reduce((sum, { seconds }) => sum + seconds, 0)
}

/**
 * Builds the k6 scenarios of a load: arriving clients of each kind at their share of the rate, and one
 * heartbeat per generator. All VUs are preallocated, because creating them takes CPU from the load.
 * Long-lived clients are present from the start, in mid-session, as in a steady state.
 */
export function buildLoadScenarios(mix: Mix, load: OfferedLoad, functions: Functions): Scenarios {
  if (load.sockets != null) {
    return {
      heartbeat: buildHeartbeat(load, functions),
      sockets: buildSocketsScenario(load, load.sockets, functions),
    }
  }
  const sumRates = (count: number) =>
    mix.clients.slice(0, count).reduce((sum, { arrivalRate }) => sum + arrivalRate, 0)
  const totalRate = sumRates(mix.clients.length)
  const clients = load.rateFrom * computeMeanSessionSeconds(mix)
  // With too few VUs for that, dropped iterations report the shortage.
  const presentShare = clients === 0 ? 0 : Math.min(1, load.vusMax / 2 / clients)
  const kinds = mix.clients.map((client, place) => {
    const share = client.arrivalRate / totalRate
    const sessionSeconds = share * meanSeconds(client.sessionDuration)
    return {
      client,
      share,
      part: { from: sumRates(place) / totalRate, to: sumRates(place + 1) / totalRate },
      weight: sessionSeconds + share * START_AND_END_SECONDS,
      present: Math.round(load.rateFrom * sessionSeconds * presentShare),
    }
  })
  const weights = kinds.reduce((sum, { weight }) => sum + weight, 0)
  const vusLeft = load.vusMax - kinds.reduce((sum, { present }) => sum + present, 0)
  return Object.fromEntries([
    ['heartbeat', buildHeartbeat(load, functions)],
    ...kinds.flatMap(({ client, share, part, weight, present }) => [
      buildArrivals(client, {
        load,
        functions,
        part,
        share,
        vus: Math.max(load.instances, Math.floor((vusLeft * weight) / weights)),
      }),
      ...(present === 0 ? [] : [buildPresentScenario(client, { load, functions, vus: present })]),
    ]),
  ])
}

/** Each VU opens its share of the sockets. */
function buildSocketsScenario(
  load: OfferedLoad,
  { vus }: OfferedSockets,
  functions: Functions,
): Scenarios[string] {
  return {
    executor: 'per-vu-iterations',
    vus,
    iterations: 1,
    maxDuration: `${sumStageSeconds(load) + LEAVE_SECONDS}s`,
    gracefulStop: `${LEAVE_SECONDS}s`,
    exec: functions.sockets,
  }
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

/**
 * Arriving clients: an open model, independent of the number present. The arrivals of a recorded timeline are dealt out to
 * the kinds of clients; the others have a process of their own.
 */
function buildArrivals(
  client: MixClient,
  options: {
    load: OfferedLoad
    functions: Functions
    part: { from: number; to: number }
    share: number
    vus: number
  },
): [string, Scenarios[string]] {
  const { load, functions, part, share, vus } = options
  const { kind, file } = load.arrivals
  const factor = file === null ? share : 1
  let from = load.rateFrom * factor
  const stages = load.stages.map(({ seconds, rate }) => {
    const stage = { seconds, from, to: rate * factor }
    from = stage.to
    return stage
  })
  const trace = file === null ? {} : { file, part }
  const shared = buildSharedSettings(client, functions, 'during')
  return [
    `${PREFIX}${client.name}`,
    arrivalScenario({ arrivals: kind, seed: load.seed, stages, ...trace, vus, ...shared }),
  ]
}

/** Clients that are present at the start. */
function buildPresentScenario(
  client: MixClient,
  { load, functions, vus }: { load: OfferedLoad; functions: Functions; vus: number },
): [string, Scenarios[string]] {
  return [
    `${PREFIX}there-${client.name}`,
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

/** The executor of k6/arrivals, whose requests count from when they were due. */
type ArrivalOptions = {
  arrivals: Arrivals['kind']
  seed: number
  /** Iterations per second, changing linearly from one rate to the other. */
  stages: readonly { seconds: number; from: number; to: number }[]
  /** Only for a trace. */
  file?: string
  part?: { from: number; to: number }
  vus: number
  maxVUs?: number
  gracefulStop: string
  exec: string
  tags: Record<string, string>
  env: Record<string, string>
}

function arrivalScenario(options: ArrivalOptions): Scenarios[string] {
  // as: k6's types know only its own executors.
  return { executor: 'breakwater-arrivals', ...options } as unknown as Scenarios[string]
}
