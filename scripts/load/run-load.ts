import { availableParallelism } from 'node:os'
import type { TrialFacts } from '../../contract/capacity.ts'
import type { OfferedLoad } from '../../contract/scenario-config.ts'
import { TRACE_SHARE } from '../../contract/series.ts'
import type { Io } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import { type InstancesRun, runInstances, WATCH } from '../k6/instances.ts'
import { projectPath } from '../project.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import type { Worlds } from '../runs/worlds.ts'
import { type HealthWindow, readGeneratorHealth } from './generator-health.ts'
import { type LoadPlan, loadConfig } from './plan-load.ts'

/** Offers loads: k6 processes of this machine, or runners in a cluster. */
export type Generator = {
  /** The version of k6. */
  version: string
  /** False: the target may be out of reach of this machine. */
  reachesTarget: boolean
  /**
   * Offers one load until it ends or is aborted. Writes the series that `listSeriesFiles` names, and k6's output, into
   * the existing folder while the load runs.
   */
  offer(parts: LoadParts, options: OfferOptions): Promise<OfferedRun>
  /** Reads how busy it was in these seconds. */
  readHealth(
    files: readonly string[],
    window: Pick<HealthWindow, 'from' | 'to'>,
  ): Promise<Pick<TrialFacts, 'generator' | 'runners'>>
}

export type LoadParts = {
  worlds: Worlds
  plan: Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'mix' | 'k6Outs' | 'rules'>
  env: NodeJS.ProcessEnv
}

export type OfferOptions = {
  load: OfferedLoad
  trial: number
  folder: string
  findingsFile: string
  signal: AbortSignal
  /** Called when what the start of the load waits for changes, with a part of a sentence; null: it runs. */
  onWaiting?: (why: string | null) => void
}

export type OfferedRun = InstancesRun & {
  /** Why it failed, as a part of a sentence; null: it did not. */
  problem: string | null
  /** Unix ms up to which the whole load was measured; null: never. */
  measuredToMs: number | null
  /** Further sentences for the user. */
  notes: readonly string[]
}

/** Beyond the load: for k6 to create its VUs, and for clients still waiting at the end. */
const BEYOND_MS = 60_000
const GRACE_MS = 5000

/** Runs k6 in processes of this machine. */
export function localGenerator({ k6, version }: { k6: string; version: string }): Generator {
  return {
    version,
    reachesTarget: true,
    async offer(parts, options) {
      const run = await offerHere(k6, parts, options)
      const failed = run.exitCode !== 0
      const why = run.reason === 'deadline' ? 'did not end in time' : run.meaning
      return { ...run, problem: failed ? `k6 ${why}` : null, measuredToMs: run.finishedAtMs, notes: [] }
    },
    async readHealth(files, window) {
      const health = await readGeneratorHealth(files, { ...window, cores: availableParallelism() })
      // The target may share this machine's CPU limit.
      return { generator: { ...health, throttledShare: null } }
    },
  }
}

function offerHere(k6: string, parts: LoadParts, options: OfferOptions): Promise<InstancesRun> {
  const { worlds, plan } = parts
  const { load, trial, folder, findingsFile, signal } = options
  const config = loadConfig(plan, load)
  return withScenarioConfig(
    { worlds: worlds.byName, plan: config, env: parts.env, ca: worlds.ca },
    async (env) =>
      runInstances({
        binary: k6,
        env: { ...env, [WATCH]: 'true', [TRACE_SHARE.variable]: TRACE_SHARE.load },
        cwd: projectPath('.'),
        deadlineMs: config.durationSecondsMax * 1000 + BEYOND_MS,
        graceMs: GRACE_MS,
        signal,
        instances: load.instances,
        script: LOAD_SCRIPT,
        folder,
        findingsFile,
        hasHistory: plan.rules.length > 0,
        tags: { trial: String(trial) },
        outs: plan.k6Outs,
        outLabel: `trial-${trial}`,
      }),
  )
}

const LOAD_SCRIPT = projectPath('dist/load.k6.js')

export async function findGenerator(io: Io): Promise<Generator> {
  return localGenerator(await readyK6(io))
}
