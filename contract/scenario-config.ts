/**
 * What the command hands to the scenarios: where to find each world, what to sign in with, and which rules to judge. A
 * file of mode 0600, outside the run folder, named by the environment variable BREAKWATER_CONFIG: it holds secrets.
 */
import type { Mix } from './mix.ts'
import type { Profile, Wallet } from './profile.ts'

/**
 * The worlds that scenarios ask for. On the stub each is a world of its own, so that probes never disturb each other;
 * any other target stands for all of them.
 */
export const WORLD_NAMES = ['main', 'reads', 'feed', 'clock', 'revision', 'limits'] as const
export type WorldName = (typeof WORLD_NAMES)[number]

/** With so many wallets with access, no two probes that could disturb each other share one. */
export const PROBE_WALLETS = 20

/** Where a world is, what it answers to, and what to sign in with. Holds secrets: it goes to k6 in a file for this user alone. */
export type Target = {
  profile: Profile
  wallets: Wallet[]
  apiTokens: string[]
  /** Null where there is no control API: time then passes by waiting. */
  controlToken: string | null
  /** Who acts on it, for the timeline of a case. */
  actor?: string
}

/** A case that is played: what its scenario reads, and how its timeline is told. */
export type Played = {
  parameters: Readonly<Record<string, number | string>>
  /** `manual`: time moves only when the scenario moves it. */
  pace: 'manual' | 'real'
  /** What goes wrong: the name of a plan of fixtures/faults, and the plan; null: nothing. */
  faults: { name: string; plan: unknown } | null
}

/** A load that is offered whatever the target does (an open model). The mix gives the proportions of its clients. */
export type OfferedLoad = {
  /** Stretches one after another, each from the rate before it to its own: iterations a second, all clients together. */
  stages: readonly { seconds: number; rate: number }[]
  /** The rate at the start. */
  rateFrom: number
  /** Of all clients together: one for which no VU is free is dropped. */
  vusMax: number
  /** k6 processes that share the load out among them. */
  instances: number
}

/** The k6 scenario that beats on each generator of a load: its iterations are no client's. */
export const HEARTBEAT = 'heartbeat'

/** Metrics of a load: how late k6 woke a VU that slept (a trend, ms), and when the load began (a gauge, Unix ms). */
export const GENERATOR_LAG = 'generator_lag'
export const LOAD_START = 'load_start'

/** All that the scenarios of a run are told. */
export type ScenarioConfig = {
  worlds: Record<WorldName, Target>
  /** Of all chance in the scenarios. */
  seed: number
  /** Ids of the rules to judge. */
  rules: string[]
  /** Whether probes may wait for a quarter of an hour. */
  slow: boolean
  /** The load beside the probes, on which latency is measured; null: none. */
  mix: Mix | null
  /** Whether the user gave the target: then all worlds are one. */
  given: boolean
  /** Probes are ended then, whatever they are at. */
  durationSecondsMax: number
  /** Of the whole run, as configured; null: as many as it needs. */
  requestsMax: number | null
  /** Of these, how many were sent before the scenarios began, to make API tokens. */
  requestsSpent: number
  /** Why nothing may be changed, or no load be made; null: it may. */
  refuses: { writes: string | null; load: string | null }
  /** Where the mix is a load of its own, offered at a rate: scenarios/load.k6.ts. */
  load: OfferedLoad | null
  /** Whether k6 itself looks first whether the target serves the load, as nothing else has asked it from there. */
  checkTarget: boolean
  /** Null: no case, and nobody follows what is sent and what comes. */
  repro: Played | null
}

/** The sets of choices that the stub comes with: what the interface leaves open, decided in one way each. */
export const CHOICE_SET_NAMES = ['plain', 'odd', 'replicated'] as const

export type ChoiceSetName = (typeof CHOICE_SET_NAMES)[number]
