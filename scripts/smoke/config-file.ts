import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OfferedLoad, Played, ScenarioConfig } from '../../contract/scenario-config.ts'
import type { SmokePlan } from './plan.ts'
import type { Worlds } from './worlds.ts'

/** Writes what the scenarios need to know into a file of its own, for this user's eyes only: it holds secrets. */
async function writeScenarioConfig(options: {
  worlds: Worlds['byName']
  plan: Pick<
    SmokePlan,
    'seed' | 'rules' | 'slow' | 'mix' | 'target' | 'durationSecondsMax' | 'requestsMax' | 'refuses'
  > & { repro?: Played; load?: OfferedLoad }
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
    load: options.plan.load ?? null,
    repro: options.plan.repro ?? null,
  }
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-'))
  const file = join(dir, 'config.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return { file, dir }
}

/**
 * Hands on the environment that scenarios run in, and a folder for what else k6 reads. They hold secrets, so they are removed
 * whatever comes.
 */
export async function withScenarioConfig<Result>(
  options: Parameters<typeof writeScenarioConfig>[0] & { env: NodeJS.ProcessEnv; ca: string | null },
  use: (env: NodeJS.ProcessEnv, folder: string) => Promise<Result>,
): Promise<Result> {
  const { file, dir } = await writeScenarioConfig(options)
  const remove = () => rmSync(dir, { recursive: true, force: true })
  // Nor is it left where the process is made to end.
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
