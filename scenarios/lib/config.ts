import type { ScenarioConfig, Target, WorldName } from '../../contract/scenario-config.ts'
import { redactor } from './redact.ts'

// Read once in each VU's init context, the only place where k6 lets a script open files.
const file = __ENV.BREAKWATER_CONFIG
if (!file) {
  throw new Error('BREAKWATER_CONFIG is not set: start this scenario through the breakwater command')
}
export const config = JSON.parse(open(file)) as ScenarioConfig

for (const target of Object.values(config.worlds)) {
  for (const secret of [...target.apiTokens, target.controlToken ?? undefined]) redactor.add(secret)
  for (const wallet of target.wallets) redactor.add((wallet.privateKeyJwk as { d?: string } | undefined)?.d)
}

export function world(name: WorldName): Target {
  return config.worlds[name]
}
