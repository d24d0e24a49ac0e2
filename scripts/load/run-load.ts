import type { OfferedLoad } from '../../contract/scenario-config.ts'
import type { Io } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import { type InstancesRun, runInstances, WATCH } from '../k6/instances.ts'
import { projectPath } from '../project.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import type { Worlds } from '../runs/worlds.ts'
import { type LoadPlan, loadConfig } from './plan-load.ts'

/** What k6 may take beyond the load: to make its VUs, and for clients that still wait at its end. */
const BEYOND_MS = 60_000
const GRACE_MS = 5000

/** What every load of a run has in common. */
export type LoadParts = {
  generator: Generator
  worlds: Worlds
  plan: Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'mix' | 'k6Outs'>
  env: NodeJS.ProcessEnv
}

/** Offers one load to its end, or to that of the signal; the series and what k6 said are files of the folder, which is there. */
export async function runLoad(
  parts: LoadParts,
  options: {
    load: OfferedLoad
    /** Of all samples: `trial`. */
    trial: number
    folder: string
    /** What the script prints is added to it. */
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
        env: { ...env, [WATCH]: 'true' },
        cwd: projectPath('.'),
        deadlineMs: config.durationSecondsMax * 1000 + BEYOND_MS,
        graceMs: GRACE_MS,
        signal,
        instances: load.instances,
        script: generator.script,
        folder,
        findingsFile,
        tags: { trial: String(trial) },
        outs: plan.k6Outs,
        outLabel: `trial-${trial}`,
      }),
  )
}

export const LOAD_SCRIPT = projectPath('dist/load.k6.js')

/** What makes loads: k6 and its script. */
export type Generator = { k6: string; version: string; script: string }

/** Throws a BreakwaterError: environment if k6 cannot be had, interrupted if the user asks for the end meanwhile. */
export async function findGenerator(io: Io): Promise<Generator> {
  return { ...(await readyK6(io)), script: LOAD_SCRIPT }
}
