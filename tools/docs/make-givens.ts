import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scenarioText } from '../../scripts/own/scenario-text.ts'
import { projectPath } from '../../scripts/project-path.ts'
import type { Stub } from '../../simulator/stub.ts'
import { deploymentOf } from './deployment.ts'
import type { GivenKind } from './givens.ts'

/** Kinds that a fixture stands in for. */
const FIXTURES: Readonly<Partial<Record<GivenKind, string>>> = {
  slo: 'slos/smoke.json',
  mix: 'mixes/reads.json',
  stages: 'stages/spike.json',
  world: 'worlds/tiny.json',
  plan: 'faults/outage.json',
}

const WAIVERS = [{ rule: 'faucet.claim.once', reason: 'known', until: '2999-12-31' }]

/** Writes a file for each kind of given, named after the kind; of runs two, which were made at the same time. */
export async function makeGivens(
  folder: string,
  { stub, env }: { stub: Stub; env: NodeJS.ProcessEnv },
): Promise<void> {
  for (const [kind, fixture] of Object.entries(FIXTURES)) {
    copyFileSync(projectPath(`fixtures/${fixture}`), join(folder, kind))
  }
  const wallets = join(folder, 'wallets.json')
  writeFileSync(wallets, JSON.stringify(stub.wallets), { mode: 0o600 })
  // As a deployment that offers no control API.
  const profile = {
    ...stub.profile,
    name: 'staging',
    control: null,
    credentials: { ...stub.profile.credentials, wallets },
  }
  writeFileSync(join(folder, 'profile'), JSON.stringify(profile))
  writeFileSync(join(folder, 'deployment'), JSON.stringify({ ...profile, ...deploymentOf(stub) }))
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  writeFileSync(join(folder, 'waivers'), JSON.stringify(WAIVERS))
  writeFileSync(join(folder, 'scenario'), scenarioText('mine'))
  const breakwater = (line: string) =>
    promisify(execFile)('breakwater', line.split(' '), { cwd: folder, env, encoding: 'utf8' })
  const load = 'load --target profile.json --rate 160 --duration 4 --warm-up 1'
  await Promise.all([
    breakwater('chain --world tiny --blocks 5 --dump dump'),
    breakwater(`${load} --seed 1 --out run-1`),
    breakwater(`${load} --seed 2 --out run-2`),
  ])
}
