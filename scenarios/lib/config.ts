import { SharedArray } from 'k6/data'
import type { Choices, Wallet } from '../../contract/profile.ts'
import { profileSecrets, secretForms } from '../../contract/profile-secrets.ts'
import {
  type ScenarioConfig,
  type Target,
  WORLD_NAMES,
  type WorldName,
} from '../../contract/scenario-config.ts'
import { redactor } from './redact.ts'

const file = __ENV.BREAKWATER_CONFIG
if (!file) {
  throw new Error('BREAKWATER_CONFIG is not set: start this scenario through the breakwater command')
}

// Read in the init context, the only place where k6 lets a script open files, and there by the first VU alone: each VU
// then has a copy of no more than what it asks for. One array, as each takes its share of every VU: what is said once, then
// what is said of each world, and apart from that what is long, and what most VUs do not ask for.
const parts = new SharedArray<unknown>('config', () => {
  const { worlds, rules, mix, ...others } = JSON.parse(open(file)) as ScenarioConfig
  const ofWorlds = WORLD_NAMES.flatMap((name) => {
    const { wallets, profile, ...target } = worlds[name]
    const { choices, ...addresses } = profile
    return [{ ...target, profile: addresses }, choices, wallets]
  })
  return [others, rules, mix, ...ofWorlds]
})

const RULES = 1
const MIX = 2
const WORLDS = 3
const PARTS_OF_WORLD = 3

type Once = Omit<ScenarioConfig, 'worlds'>
let rules: Once['rules'] | undefined
let mix: Once['mix'] | undefined

export const config: Once = {
  ...(parts[0] as Omit<Once, 'rules' | 'mix'>),
  get rules() {
    rules ??= parts[RULES] as Once['rules']
    return rules
  },
  get mix() {
    if (mix === undefined) mix = parts[MIX] as Once['mix']
    return mix
  },
}

const opened: Partial<Record<WorldName, Target>> = {}

/** The target that plays a world of the run; the same object for all who ask. */
export function world(name: WorldName): Target {
  const target = opened[name] ?? openWorld(name)
  opened[name] = target
  return target
}

/** Its secrets are known to the redactor from here on; a wallet's key is once it signs. */
function openWorld(name: WorldName): Target {
  const index = WORLDS + PARTS_OF_WORLD * WORLD_NAMES.indexOf(name)
  const { profile, ...target } = parts[index] as Omit<Target, 'wallets'>
  redactor.addLater(() => [
    ...[...target.apiTokens, target.controlToken ?? ''].flatMap(secretForms),
    ...profileSecrets(profile),
  ])
  let choices: Choices | undefined
  let wallets: Wallet[] | undefined
  return {
    ...target,
    profile: {
      ...profile,
      get choices() {
        choices ??= parts[index + 1] as Choices
        return choices
      },
    },
    get wallets() {
      wallets ??= parts[index + 2] as Wallet[]
      return wallets
    },
  }
}
