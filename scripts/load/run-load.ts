import type { OfferedLoad } from '../../contract/scenario-config.ts'
import { TRACE_SHARE } from '../../contract/series.ts'
import type { Io } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import { type InstancesRun, runInstances, WATCH } from '../k6/instances.ts'
import { projectPath } from '../project.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import type { Worlds } from '../runs/worlds.ts'
import { type LoadPlan, loadConfig } from './plan-load.ts'

/** Beyond the load: for k6 to create its VUs, and for clients still waiting at the end. */
const BEYOND_MS = 60_000
const GRACE_MS = 5000

export type LoadParts = {
  generator: Generator
  worlds: Worlds
  plan: Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'mix' | 'k6Outs' | 'rules'>
  env: NodeJS.ProcessEnv
}

/** Offers one load until it ends or is aborted; writes the series and k6's output into the existing folder. */
export async function runLoad(
  parts: LoadParts,
  options: {
    load: OfferedLoad
    trial: number
    folder: string
    findingsFile: string
    signal: AbortSignal
  },
): Promise<InstancesRun> {
  const { generator, worlds, plan } = parts
  const { load, trial, folder, findingsFile, signal } = options
  const config = loadConfig(plan, load)
  return withScenarioConfig(
    { worlds: worlds.byName, plan: config, env: parts.env, ca: worlds.ca },
    async (env) =>
      runInstances({
        binary: generator.k6,
        env: { ...env, [WATCH]: 'true', [TRACE_SHARE.variable]: TRACE_SHARE.load },
        cwd: projectPath('.'),
        deadlineMs: config.durationSecondsMax * 1000 + BEYOND_MS,
        graceMs: GRACE_MS,
        signal,
        instances: load.instances,
        script: generator.script,
        folder,
        findingsFile,
        hasHistory: plan.rules.length > 0,
        tags: { trial: String(trial) },
        outs: plan.k6Outs,
        outLabel: `trial-${trial}`,
      }),
  )
}

export const LOAD_SCRIPT = projectPath('dist/load.k6.js')

export type Generator = { k6: string; version: string; script: string }

export async function findGenerator(io: Io): Promise<Generator> {
  return { ...(await readyK6(io)), script: LOAD_SCRIPT }
}
