import { join } from 'node:path'
import type { Mix } from '../../contract/mix.ts'
import type { OfferedLoad } from '../../contract/scenario-config.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { projectPath } from '../project-path.ts'
import { withScenarioConfig } from '../smoke/config-file.ts'
import type { Worlds } from '../smoke/worlds.ts'
import type { LoadPlan } from './plan-load.ts'
import type { Generator } from './with-generator.ts'

/** What k6 may take beyond the load: to make its VUs, and for clients that still wait at its end. */
const BEYOND_MS = 60_000
const GRACE_MS = 5000

/** Offers one load to its end, or to that of the signal; the series and what k6 said are files of the folder. */
export async function runLoad(options: {
  generator: Generator
  worlds: Worlds
  plan: Pick<LoadPlan, 'seed' | 'target' | 'refuses' | 'k6Out'> & { mix: Mix }
  load: OfferedLoad
  folder: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}): Promise<K6Run> {
  const { generator, worlds, plan, load, folder, signal } = options
  const seconds = load.stages.reduce((sum, stage) => sum + stage.seconds, 0)
  const config = {
    ...plan,
    rules: [],
    slow: false,
    durationSecondsMax: seconds,
    requestsMax: null,
    load,
  }
  return withScenarioConfig(
    { worlds: worlds.byName, plan: config, env: options.env, ca: worlds.ca },
    async (env) =>
      runK6({
        binary: generator.k6,
        args: k6Args({
          script: generator.script,
          seriesFile: join(folder, 'series-1.ndjson'),
          findingsFile: join(folder, 'findings-1.ndjson'),
          flags: plan.k6Out.map((spec) => `--out=${spec}`),
        }),
        env,
        cwd: projectPath('.'),
        deadlineMs: seconds * 1000 + BEYOND_MS,
        graceMs: GRACE_MS,
        stdoutFile: join(folder, 'k6.stdout.log'),
        stderrFile: join(folder, 'k6.stderr.log'),
        signal,
      }),
  )
}
