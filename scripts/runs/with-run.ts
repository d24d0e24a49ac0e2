import type { ExitCode } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { type Io, orInterrupted, throwIfInterrupted } from '../io.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { type LiveOptions, withLiveView } from '../live/with-live-view.ts'
import { requireScratch } from '../make-folder.ts'
import { step } from '../progress/detail.ts'
import { followRun } from '../progress/show-progress.ts'
import { projectPath } from '../project.ts'
import { openGiven } from '../run-history/run-records.ts'
import type { Plan } from './plan.ts'
import { openRunFolder, printReport, type RunFolder, requireFreeOutput } from './run-folder.ts'
import { type Worlds, worldText } from './worlds.ts'

export type StartedRun<P extends Plan, Generator extends { version: string }> = {
  plan: P
  generator: Generator
  worlds: Worlds
  io: Io
  openFolder(known?: Partial<Plan> & { repro?: Run['repro'] }): Promise<RunFolder>
}

/**
 * Runs plan, generator, worlds, folder, `use`, report and baseline in order. Returns the exit code of the verdict. Throws a
 * BreakwaterError: usage for a bad option or file, before anything is started; environment if k6 or the target is not
 * available.
 */
export async function withRun<P extends Plan, Generator extends { version: string }>(
  life: BaselineOptions &
    LiveOptions & {
      io: Io
      output?: string | undefined
      plan(): Promise<P>
      announce?(plan: NoInfer<P>): readonly string[]
      /** Finds what generates the load, before anything is started. `version`: of its k6. */
      readyGenerator(io: Io): Promise<Generator>
      openWorlds(plan: NoInfer<P>, io: Io): Promise<Worlds>
    },
  use: (run: StartedRun<P, Generator>) => Promise<RunFolder>,
): Promise<ExitCode> {
  const { io, baseline, allowSingleRun } = life
  // Loads the comparison only if needed.
  if (baseline !== undefined)
    await (await import('../run-history/find-baseline.ts')).mustBeFolder(baseline, io)
  const history = await openGiven(life.history, io)
  if (life.output !== undefined) await requireFreeOutput(life.output, io.cwd)
  requireScratch()
  const plan = await orInterrupted(io.interrupted, life.plan())
  const generator = await life.readyGenerator(io)
  for (const line of life.announce?.(plan) ?? []) io.log(line)
  return withLiveView(life, async (live) => {
    let opened: RunFolder | undefined
    const worlds = await step(io, worldText(plan), () => life.openWorlds(plan, io))
    try {
      throwIfInterrupted(io.interrupted)
      const openFolder: StartedRun<P, Generator>['openFolder'] = async (known) => {
        opened = await openRunFolder(
          { ...plan, repro: null, ...known },
          { io, profile: worlds.profile, k6Version: generator.version, now: new Date() },
        )
        live?.watch(opened)
        return opened
      }
      const folder = await use({ plan, generator, worlds, io, openFolder })
      const exitCode = await printReport({ folder, json: plan.json, io, history })
      if (baseline === undefined) return exitCode
      const { printBaselineComparison } = await import('./print-comparison.ts')
      return await printBaselineComparison({
        baseline,
        allowSingleRun,
        folder,
        exitCode,
        json: plan.json,
        io,
      })
    } catch (error) {
      await opened?.breakOff(error)
      throw error
    } finally {
      await worlds.close()
    }
  })
}

export type BaselineOptions = {
  baseline?: string | undefined
  /** Judges even single runs. */
  allowSingleRun?: true | undefined
  /** Folder of the run history whose trend the report shows. */
  history?: string | undefined
}

/** Time that k6 may take after its scenarios. It uses it only if a peer never sends a close frame. */
const BEYOND_MS = 30_000
const GRACE_MS = 10_000

/** Runs a script with k6 into a run folder until it ends or is interrupted, and shows its progress. */
export async function runScript(
  folder: RunFolder,
  options: {
    k6: string
    script: string
    env: NodeJS.ProcessEnv
    io: Io
    rules: number
    secondsMax: number
    cwd?: string
    beyondMs?: number
  },
): Promise<K6Run> {
  const { k6, script, env, io, rules, secondsMax, cwd = projectPath('.'), beyondMs = BEYOND_MS } = options
  const progress = followRun(folder, { rules, secondsMax, io })
  try {
    return await runK6({
      binary: k6,
      args: k6Args({
        script,
        seriesFile: folder.file(RUN_FILES.series),
        findingsFile: folder.file(RUN_FILES.findings),
      }),
      env,
      cwd,
      deadlineMs: secondsMax * 1000 + beyondMs,
      graceMs: GRACE_MS,
      stdoutFile: folder.file(RUN_FILES.k6Stdout),
      stderrFile: folder.file(RUN_FILES.k6Stderr),
      signal: io.interrupted,
    })
  } finally {
    await progress.stop()
  }
}
