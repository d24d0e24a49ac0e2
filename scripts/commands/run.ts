/** `breakwater run FILE.k6.ts`: a scenario of one's own, with the kit, findings, series and report of the probes. */

import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BreakwaterError, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { loadSlo } from '../given-files.ts'
import { throwIfInterrupted } from '../io.ts'
import { bundleOwn, ensureKitLink, LINK } from '../own/kit-link.ts'
import { inspectScript, openOwnWorld, runScript } from '../own/run-script.ts'
import { mutantOrTarget, type Plan, planOfOptions } from '../runs/plan.ts'
import { withScenarioConfig } from '../runs/scenario-config.ts'
import { withRun } from '../runs/with-run.ts'
import type { SmokeOptions } from '../smoke/plan.ts'
import { mustAllowAll } from '../target/permission.ts'
import { loadTarget } from '../target/reach-target.ts'

export type RunOptions = Omit<SmokeOptions, 'rules' | 'load' | 'mix'> & { file: string }
/** Functions of the kit that open a socket of the feed. */
const OPENS_FEED = /\b(openFeed|openServedFeed|followFeed)\b/
/** For what of the kit waits; the script's own options say how long it takes. */
const SECONDS_MAX = 86_400

type RunPlan = Plan & { script: string; shown: string }

/**
 * Throws a BreakwaterError: usage for a bad option, file or script, environment where k6 or the target is not to be had.
 */
export function runOwn(options: RunOptions): Promise<ExitCode> {
  return withRun(
    { io: options.io, plan: () => planRun(options), openWorlds: openOwnWorld },
    ({ plan, k6, worlds, io, openFolder }) =>
      withScenarioConfig(
        { worlds: worlds.byName, plan, env: io.env, ca: worlds.ca },
        async (env, scratch) => {
          const script = await bundleOwn({ script: plan.script, folder: scratch })
          const facts = await inspectScript({ script, shown: plan.shown, k6, env, cwd: io.cwd })
          throwIfInterrupted(io.interrupted)
          const folder = await openFolder({ rules: Object.keys(facts.rules), ownRules: facts.rules })
          await folder.finish(await runScript({ k6, script, shown: plan.shown, env, facts, folder, io }))
          return folder
        },
      ),
  )
}

async function planRun(options: RunOptions): Promise<RunPlan> {
  const { io, file } = options
  const script = resolve(io.cwd, file)
  linkKit(script, options)
  mutantOrTarget(options)
  loadWorldFixture(options.world)
  return {
    job: 'run',
    script,
    shown: file,
    rules: [],
    slo: await loadSlo(options.slo ?? 'own', io.cwd),
    slow: options.includeSlow === true,
    durationSecondsMax: SECONDS_MAX,
    ...planOfOptions(options),
    target:
      options.target === undefined
        ? null
        : await loadTarget(options.target, {
            io,
            needsFeed: OPENS_FEED.test(readScript(script, file)),
            check: mustAllowAll('a scenario', options.confirm),
          }),
  }
}

/** Where the script imports the kit from beside it, as `init scenario` writes it. */
function linkKit(script: string, { file, io }: RunOptions): void {
  if (!readScript(script, file).includes(`'./${LINK}/`)) return
  const shown = join(dirname(file), LINK)
  if (ensureKitLink(dirname(script), shown) === 'made') {
    io.tell(`${shown}: made, a link to this installation, by which the script finds the kit`)
  }
}

function readScript(script: string, shown: string): string {
  try {
    if (statSync(script).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return readFileSync(script, 'utf8')
  } catch (cause) {
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, {
      hint: 'Expected a k6 script there; `breakwater init scenario NAME` writes one to start from.',
      cause,
    })
  }
}
