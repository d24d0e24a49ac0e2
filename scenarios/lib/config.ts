import { SharedArray } from 'k6/data'
import type { Wallet } from '../../contract/profile.ts'
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
// then has a copy of no more than what it asks for. One array, as each takes its share of every VU. First what is said
// once, then of each world the target, then of each world the wallets: they are many, and most VUs sign in with none.
const parts = new SharedArray<unknown>('config', () => {
  const { worlds, ...others } = JSON.parse(open(file)) as ScenarioConfig
  const targets = WORLD_NAMES.map((name) => worlds[name])
  return [
    others,
    ...targets.map(({ wallets: _wallets, ...target }) => target),
    ...targets.map(({ wallets }) => wallets),
  ]
})

export const config = parts[0] as Omit<ScenarioConfig, 'worlds'>

const opened: Partial<Record<WorldName, Target>> = {}

export function world(name: WorldName): Target {
  const target = opened[name] ?? openWorld(name)
  opened[name] = target
  return target
}

/** Its secrets are known to the redactor from here on; a wallet's key is once it signs. */
function openWorld(name: WorldName): Target {
  const index = 1 + WORLD_NAMES.indexOf(name)
  const target = parts[index] as Omit<Target, 'wallets'>
  for (const secret of [...target.apiTokens, target.controlToken ?? undefined]) redactor.add(secret)
  let wallets: Wallet[] | undefined
  return {
    ...target,
    get wallets() {
      wallets ??= parts[index + WORLD_NAMES.length] as Wallet[]
      return wallets
    },
  }
}
