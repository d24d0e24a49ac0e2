/** `breakwater smoke`: every rule probed once, against the stub or a target, ending in a run folder and a verdict. */

import { isLoopback } from '../../contract/addresses.ts'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { Io } from '../io.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { followRun } from '../progress/show-progress.ts'
import { projectPath } from '../project.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { type ScenarioPlan, withScenarioConfig } from '../runs/scenario-config.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'
import { openWorlds, type Worlds } from '../runs/worlds.ts'
import { fitMix, planSmoke, type SmokeOptions, type SmokePlan } from '../smoke/plan.ts'
import { REQUESTS_PER_TOKEN } from '../target/own-tokens.ts'

/** What k6 may take beyond the time of its scenarios: it ends by itself before, unless a peer never answers a close frame. */
const BEYOND_MS = 30_000
const GRACE_MS = 10_000

/** Plans, runs and judges a smoke run. Throws a BreakwaterError (usage) before anything is started. */
export function runSmoke(options: SmokeOptions & BaselineOptions): Promise<ExitCode> {
  return withRun(
    {
      ...options,
      plan: () => planSmoke(options),
      announce: (plan) => [...announce(plan), ...plan.mixNotes],
      openWorlds,
    },
    async (run) => {
      const folder = await run.openFolder()
      await folder.finish(await probe({ ...run, folder }))
      return folder
    },
  )
}

async function probe(parts: {
  plan: SmokePlan
  k6: string
  worlds: Worlds
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { plan, worlds, folder, io } = parts
  if (!io.terminal.stderr) io.tell(`probing ${plan.rules.length} rules`)
  const progress = followRun(folder, { rules: plan.rules.length, secondsMax: plan.durationSecondsMax, io })
  try {
    return await withScenarioConfig(
      { worlds: worlds.byName, plan: planFor(plan, worlds), env: io.env, ca: worlds.ca },
      async (env) =>
        runK6({
          binary: parts.k6,
          args: k6Args({
            script: projectPath('dist/smoke.k6.js'),
            seriesFile: folder.file(RUN_FILES.series),
            findingsFile: folder.file(RUN_FILES.findings),
          }),
          env,
          cwd: projectPath('.'),
          deadlineMs: plan.durationSecondsMax * 1000 + BEYOND_MS,
          graceMs: GRACE_MS,
          stdoutFile: folder.file(RUN_FILES.k6Stdout),
          stderrFile: folder.file(RUN_FILES.k6Stderr),
          signal: io.interrupted,
        }),
    )
  } finally {
    await progress.stop()
  }
}

/** What is left of the plan once it is known which API tokens there are: clients without one do not come, and one takes requests. */
function planFor(plan: SmokePlan, { byName }: Worlds): ScenarioPlan {
  const { target, mix, refuses } = plan
  if (target === null || mix === null) return plan
  const made = byName.main.apiTokens.length - target.apiTokens.length
  const beside = { writesRefused: refuses.writes, besideProbes: true, makesTokens: false }
  return {
    ...plan,
    mix: fitMix(mix, byName.main, beside).mix,
    requestsSpent: made * REQUESTS_PER_TOKEN,
  }
}

/** What a target is in for, told before anything is sent to it. The stub is nobody's. */
export function announce(
  plan: Pick<SmokePlan, 'target' | 'requestsMax' | 'durationSecondsMax' | 'refuses' | 'mix'>,
): string[] {
  if (plan.target === null) return []
  const { profile, controlToken } = plan.target
  const { writes, load } = plan.refuses
  const loads = plan.mix === null ? 'no' : `the mix ${plan.mix.name}, ${plan.mix.durationSeconds} s`
  return [
    `target ${profile.name}: ${profile.baseUrl}`,
    `  at most ${plan.requestsMax} requests, and ${plan.durationSecondsMax} s`,
    `  changes: ${writes === null ? 'yes: signs in, makes sessions and tokens, and ends them' : `no: ${writes}`}`,
    `  load: ${load === null ? loads : `no: ${load}`}`,
    ...(profile.control === null ? [] : [controlLine(controlToken !== null)]),
    ...(isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// shows credentials to the network']),
  ].map((line) => visibleLine(line))
}

function controlLine(used: boolean): string {
  return used
    ? '  control API: its clock is moved, and put back; nobody else should use the target meanwhile'
    : '  control API: not used, as BREAKWATER_CONTROL_TOKEN is not set or changes are refused; time passes by waiting'
}
