import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ruleById } from '../../contract/rules.ts'
import type { JudgedRule, OfferedLoad, RunningCase, ScenarioConfig } from '../../contract/scenario-config.ts'
import { makeScratchFolder, scratchFailure } from '../make-folder.ts'
import type { Plan } from './plan.ts'
import type { Worlds } from './worlds.ts'

/** Garbage collection is a fifth of k6's processor time, and a run of few VUs can afford the memory. */
export const RARE_COLLECTION = { GOGC: '400' }

/** Only this user can read the file: it holds secrets. */
async function writeScenarioConfig(
  options: Parameters<typeof buildScenarioConfig>[0],
): Promise<{ file: string; dir: string }> {
  const config = buildScenarioConfig(options)
  const dir = await makeScratchFolder('run')
  const file = join(dir, 'config.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 }).catch((cause: unknown) => {
    rmSync(dir, { recursive: true, force: true })
    throw scratchFailure(cause)
  })
  return { file, dir }
}

/**
 * Passes on the scenarios' environment and a folder for k6's other input. They hold secrets, so they are always
 * removed.
 */
export async function withScenarioConfig<Result>(
  options: Parameters<typeof writeScenarioConfig>[0] & { env: NodeJS.ProcessEnv; ca: string | null },
  use: (env: NodeJS.ProcessEnv, folder: string) => Promise<Result>,
): Promise<Result> {
  const { file, dir } = await writeScenarioConfig(options)
  const remove = () => rmSync(dir, { recursive: true, force: true })
  // Also when the process is forced to exit.
  process.once('exit', remove)
  try {
    const { env, ca } = options
    const certificates = ca === null ? {} : { SSL_CERT_FILE: ca }
    return await use({ ...env, BREAKWATER_CONFIG: file, ...certificates }, dir)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

export type ScenarioPlan = Pick<
  Plan,
  'seed' | 'rules' | 'slow' | 'mix' | 'target' | 'durationSecondsMax' | 'requestsMax' | 'refuses'
> & { requestsSpent?: number; repro?: RunningCase; load?: OfferedLoad; checkTarget?: boolean }

export function buildScenarioConfig({
  worlds,
  plan,
}: {
  worlds: Worlds['byName']
  plan: ScenarioPlan
}): ScenarioConfig {
  return {
    worlds,
    seed: plan.seed,
    rules: plan.rules.map(pickJudged),
    slow: plan.slow ?? false,
    mix: plan.mix ?? null,
    given: plan.target !== null,
    durationSecondsMax: plan.durationSecondsMax,
    requestsMax: plan.requestsMax ?? null,
    requestsSpent: plan.requestsSpent ?? 0,
    refuses: plan.refuses ?? { writes: null, load: null },
    load: plan.load ?? null,
    checkTarget: plan.checkTarget ?? false,
    repro: plan.repro ?? null,
  }
}

/** Rules of clients have no probe, so a scenario needs their ids only. */
function pickJudged(id: string): JudgedRule {
  const { expected = '', takes = 'moments' } = ruleById(id) ?? {}
  return { id, expected, takes }
}
