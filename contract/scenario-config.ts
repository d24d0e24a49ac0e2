/**
 * The input of the scenarios: the address of each world, the credentials, and the rules to judge. It holds secrets, so the
 * command writes it to a file of mode 0600 outside the run folder, named by the environment variable BREAKWATER_CONFIG.
 */
import type { Mix } from './mix.ts'
import type { Profile, Wallet } from './profile.ts'
import type { Rule } from './rule.ts'

/**
 * The worlds that scenarios use. On the stub each one is separate, so that probes never disturb each other; any other target
 * serves as all of them.
 */
export const WORLD_NAMES = ['main', 'reads', 'feed', 'restart', 'clock', 'revision', 'limits'] as const
export type WorldName = (typeof WORLD_NAMES)[number]

/** With this many wallets with access, probes that could disturb each other never share one. */
export const PROBE_WALLETS = 20

/** The address, choices and credentials of a world. Holds secrets: k6 gets it in a file that only this user can read. */
export type Target = {
  profile: Profile
  wallets: Wallet[]
  apiTokens: string[]
  /** Null without a control API: probes then wait in real time. */
  controlToken: string | null
  /** The actors, for the timeline of a case. */
  actor?: string
}

/** A case to run: the parameters of its scenario, and the form of its timeline. */
export type RunningCase = {
  parameters: Readonly<Record<string, number | string>>
  /** `manual`: only the scenario moves time. */
  pace: 'manual' | 'real'
  /** The injected faults: the name of a plan of fixtures/faults, and the plan; null: none. */
  faults: { name: string; plan: unknown } | null
}

/** When the clients of a load arrive: with equal gaps, as a Poisson process, or with the gaps of a recorded timeline. */
export const ARRIVAL_KINDS = ['even', 'poisson', 'trace'] as const

export type Arrivals = {
  kind: (typeof ARRIVAL_KINDS)[number]
  /** The recorded timeline: a text file with the seconds of one arrival per line. Null for the other kinds. */
  file: string | null
}

/** A load in an open model: it is offered whatever the target does. The mix gives the proportions of its clients. */
export type OfferedLoad = {
  /** Stages in sequence, each ramping from the previous rate to its own: iterations per second of all clients. */
  stages: readonly { seconds: number; rate: number }[]
  /** The initial rate. */
  rateFrom: number
  arrivals: Arrivals
  /** Seed of the arrivals. */
  seed: number
  /** VUs for all clients; a client without a free VU is dropped. */
  vusMax: number
  /** k6 processes that share the load. */
  instances: number
  /** Open sockets instead of arriving clients; omitted: clients arrive. */
  sockets?: OfferedSockets | undefined
}

/**
 * The load that a search varies: arrivals of clients, the number of open sockets, of rooms that sockets have joined, of sockets that
 * do not read, or events that reach sockets (by their number).
 */
export const AXES = ['rate', 'sockets', 'subscriptions', 'slow-readers', 'events'] as const

/** A VU costs more memory than a socket, and its script has time for this many. */
export const SOCKETS_PER_VU = 20

/** Sockets that are opened evenly, and then held until the load ends. */
export type OfferedSockets = {
  count: number
  /** Opened per second, from one second after the start. */
  openedPerSecond: number
  /** VUs that share them. */
  vus: number
  /** Seconds after the start at which all should be served. */
  dueAfterSeconds: number
  /** Joined rooms of all sockets together: each joins those of the mix, and the last one the rest. Omitted: all join those of the mix. */
  rooms?: { total: number; perSocket: number } | undefined
  /** The first sockets, which read no more once they are synchronized. Only the others are judged. Omitted: none. */
  slowReaders?: number | undefined
  /** Close all sockets at once, at this time after the start; omitted: hold them. */
  storm?: { cutAfterSeconds: number; recoverWithinSeconds: number } | undefined
}

/** The heartbeat scenario on each generator of a load: its iterations are not clients. */
export const HEARTBEAT = 'heartbeat'

/** Metrics of a load: how late k6 woke a sleeping VU (a trend, ms), and the start of the load (a gauge, Unix ms). */
export const GENERATOR_LAG = 'generator_lag'
export const LOAD_START = 'load_start'

export type JudgedRule = Pick<Rule, 'id' | 'expected' | 'takes'>

/** The complete input of the scenarios of a run. */
export type ScenarioConfig = {
  worlds: Record<WorldName, Target>
  /** Seed of all randomness in the scenarios. */
  seed: number
  /** The rules to judge. The whole catalogue would cost each VU half of its start. */
  rules: JudgedRule[]
  /** True if probes may wait for 15 minutes. */
  slow: boolean
  /** The load that runs with the probes, to measure latency; null: none. */
  mix: Mix | null
  /** True if the user gave the target: then all worlds are the same. */
  given: boolean
  /** Time after which all probes are stopped. */
  durationSecondsMax: number
  /** Limit for the whole run, as configured; null: no limit. */
  requestsMax: number | null
  /** How many of these were sent before the scenarios started, to create API tokens. */
  requestsSpent: number
  /** The reason why changes, or a load, are not allowed; null: allowed. */
  refuses: { writes: string | null; load: string | null }
  /** Set if the mix is a separate load, offered at a rate: scenarios/load.k6.ts. Runners have it in BREAKWATER_LOAD. */
  load: OfferedLoad | null
  /** True if k6 first checks that the target can serve the load, because nothing else has contacted it from there. */
  checkTarget: boolean
  /** Null: no case, so no timeline of requests and responses is recorded. */
  repro: RunningCase | null
}

/** The stub's sets of choices: each decides everything that the interface leaves open. */
export const CHOICE_SET_NAMES = ['default', 'alternative', 'replicated'] as const

export type ChoiceSetName = (typeof CHOICE_SET_NAMES)[number]
