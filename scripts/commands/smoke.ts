import { isLoopback } from '../../contract/addresses.ts'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { Io } from '../io.ts'
import { readyK6 } from '../k6/find-k6.ts'
import type { K6Run } from '../k6/run-k6.ts'
import { projectPath } from '../project.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { RARE_COLLECTION, type ScenarioPlan, withScenarioConfig } from '../runs/scenario-config.ts'
import { type BaselineOptions, runScript, withRun } from '../runs/with-run.ts'
import { openWorlds, type Worlds } from '../runs/worlds.ts'
import { fitMix, planSmoke, type SmokeOptions, type SmokePlan } from '../smoke/plan.ts'
import { REQUESTS_PER_TOKEN } from '../target/own-tokens.ts'

/** Throws a BreakwaterError (usage) before anything is started. */
export function runSmoke(options: SmokeOptions & BaselineOptions): Promise<ExitCode> {
  return withRun(
    {
      ...options,
      plan: () => planSmoke(options),
      announce: (plan) => [...announce(plan), ...plan.mixNotes],
      readyGenerator: readyK6,
      openWorlds,
    },
    async ({ generator, openFolder, ...run }) => {
      const folder = await openFolder()
      await folder.finish(await probe({ ...run, ...generator, folder }))
      return folder
    },
  )
}

function probe(parts: {
  plan: SmokePlan
  k6: string
  worlds: Worlds
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { plan, k6, worlds, folder, io } = parts
  if (!io.terminal.stderr)
    io.log(`checking ${plan.rules.length} ${plan.rules.length === 1 ? 'rule' : 'rules'}`)
  return withScenarioConfig(
    {
      worlds: worlds.byName,
      plan: planFor(plan, worlds),
      env: { ...RARE_COLLECTION, ...io.env },
      ca: worlds.ca,
    },
    (env) =>
      runScript(folder, {
        k6,
        script: projectPath('dist/smoke.k6.js'),
        env,
        io,
        rules: plan.rules.length,
        secondsMax: plan.durationSecondsMax,
      }),
  )
}

/** Adapts the plan to the API tokens that exist: removes clients without a token, and counts the requests that made tokens. */
function planFor(plan: SmokePlan, { byName }: Worlds): ScenarioPlan {
  const { target, mix, refuses } = plan
  if (target === null || mix === null) return plan
  const made = byName.main.apiTokens.length - target.apiTokens.length
  const limits = { writesRefused: refuses.writes, withProbes: true, makesTokens: false }
  return {
    ...plan,
    mix: fitMix(mix, byName.main, limits).mix,
    requestsSpent: made * REQUESTS_PER_TOKEN,
  }
}

/** Lines about what the run may do to the target, printed before any request. */
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
    `  changes: ${writes === null ? 'yes: signs in, creates sessions and tokens, and revokes them' : `no: ${writes}`}`,
    `  load: ${load === null ? loads : `no: ${load}`}`,
    ...(profile.control === null ? [] : [controlLine(controlToken !== null)]),
    ...(isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// exposes credentials to the network']),
  ].map((line) => visibleLine(line))
}

function controlLine(used: boolean): string {
  return used
    ? '  control API: moves the clock of the target and restores it; no one else should use the target during the run'
    : '  control API: not used, because BREAKWATER_CONTROL_TOKEN is not set or changes are not allowed; waits in real time instead'
}
