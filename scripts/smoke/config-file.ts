import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScenarioConfig } from '../../contract/scenario-config.ts'
import type { SmokePlan } from './plan.ts'
import type { Worlds } from './worlds.ts'

/** Writes what the scenarios need to know into a file of its own, for this user's eyes only: it holds secrets. */
export async function writeScenarioConfig(options: {
  worlds: Worlds['byName']
  plan: Pick<
    SmokePlan,
    'seed' | 'rules' | 'slow' | 'mix' | 'target' | 'durationSecondsMax' | 'requestsMax' | 'refuses'
  >
}): Promise<{ file: string; dir: string }> {
  const config: ScenarioConfig = {
    worlds: options.worlds,
    seed: options.plan.seed,
    rules: [...options.plan.rules],
    slow: options.plan.slow,
    mix: options.plan.mix,
    given: options.plan.target !== null,
    durationSecondsMax: options.plan.durationSecondsMax,
    requestsMax: options.plan.requestsMax,
    refuses: options.plan.refuses,
  }
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-'))
  const file = join(dir, 'config.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return { file, dir }
}
