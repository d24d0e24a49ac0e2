import { SharedArray } from 'k6/data'
import type { Choices, Wallet } from '../../contract/profile.ts'
import { profileSecrets, secretForms } from '../../contract/profile-secrets.ts'
import {
  type JudgedRule,
  type ScenarioConfig,
  type Target,
  WORLD_NAMES,
  type WorldName,
} from '../../contract/scenario-config.ts'
import { redactor } from './redact.ts'

const file = __ENV.BREAKWATER_CONFIG
if (!file) {
  throw new Error('BREAKWATER_CONFIG is not set: start this scenario with the breakwater command')
}

/** The load of these runners in a cluster, which share the file with those of other trials. */
const ownLoad = __ENV.BREAKWATER_LOAD

// Only the first VU reads the file, in the init context: k6 allows open() nowhere else. Each VU copies only
// the array entries that it uses, therefore long parts are entries of their own: shared settings, ids of rules, rules, mix, then
// three entries per world.
const parts = new SharedArray<unknown>('config', () => {
  const { worlds, rules, mix, ...shared } = JSON.parse(open(file)) as ScenarioConfig
  const others = { ...shared, load: ownLoad === undefined ? shared.load : JSON.parse(ownLoad) }
  const ofWorlds = WORLD_NAMES.flatMap((name) => {
    const { wallets, profile, ...target } = worlds[name]
    const { choices, ...addresses } = profile
    return [{ ...target, profile: addresses }, choices, wallets]
  })
  return [others, rules.map(({ id }) => id), rules, mix, ...ofWorlds]
})

const RULE_IDS = 1
const RULES = 2
const MIX = 3
const WORLDS = 4
const PARTS_OF_WORLD = 3

type Once = Omit<ScenarioConfig, 'worlds' | 'rules'> & { rules: readonly string[] }
let ids: readonly string[] | undefined
let rules: readonly JudgedRule[] | undefined
let mix: Once['mix'] | undefined

export const config: Once = {
  ...(parts[0] as Omit<Once, 'rules' | 'mix'>),
  get rules() {
    ids ??= parts[RULE_IDS] as Once['rules']
    return ids
  },
  get mix() {
    if (mix === undefined) mix = parts[MIX] as Once['mix']
    return mix
  },
}

/** Undefined for a rule that this run does not judge. */
export function judgedRule(id: string): JudgedRule | undefined {
  rules ??= parts[RULES] as readonly JudgedRule[]
  return rules.find((rule) => rule.id === id)
}

const opened: Partial<Record<WorldName, Target>> = {}

/** Returns the target of a world; all callers get the same object. */
export function world(name: WorldName): Target {
  const target = opened[name] ?? openWorld(name)
  opened[name] = target
  return target
}

/** Registers the world's secrets with the redactor. Wallet keys are registered when they sign. */
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
