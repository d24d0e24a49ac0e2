import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { startStub } from '../../simulator/stub.ts'
import type { Io } from '../io.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { followRun } from '../progress/follow-run.ts'
import type { Plan } from '../runs/plan.ts'
import type { RunFolder } from '../runs/run-folder.ts'
import { oneTarget, targetOf, type Worlds } from '../runs/worlds.ts'
import { k6Lines, type ScriptFacts } from './inspect-script.ts'

/** k6 ends by itself well before: this is for the peer that never answers a close frame. */
const LEAVE_MS = 60_000
const GRACE_MS = 10_000

/** Runs the script to its end, or to the user's; says beforehand how much it is, and afterwards what k6 said of it. */
export async function runScript(options: {
  k6: string
  script: string
  /** As the user named it. */
  shown: string
  env: NodeJS.ProcessEnv
  facts: ScriptFacts
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { script, facts, folder, io } = options
  const { rules, vusMax, durationMs } = facts
  const seconds = Math.ceil(durationMs / 1000)
  const ruleCount = Object.keys(rules).length
  io.tell(`running ${options.shown}: rules ${ruleCount}, VUs at most ${vusMax}, ${seconds} s at most`)
  const progress = followRun(folder, { rules: ruleCount, secondsMax: seconds, io })
  try {
    return await runK6({
      binary: options.k6,
      args: k6Args({
        script,
        seriesFile: folder.file(RUN_FILES.series),
        findingsFile: folder.file(RUN_FILES.findings),
      }),
      env: options.env,
      cwd: io.cwd,
      deadlineMs: durationMs + LEAVE_MS,
      graceMs: GRACE_MS,
      stdoutFile: folder.file(RUN_FILES.k6Stdout),
      stderrFile: folder.file(RUN_FILES.k6Stderr),
      signal: io.interrupted,
    })
  } finally {
    await progress.stop()
    tellErrors(folder, io)
  }
}

const ERROR_LINES_MAX = 5

/** What a script throws ends one of its iterations, and k6 goes on: nobody would look for it in a file. */
function tellErrors(folder: RunFolder, io: Io): void {
  const lines = k6Lines(readFileSync(folder.file(RUN_FILES.k6Stderr), 'utf8'), ERROR_LINES_MAX)
  if (lines.length === 0) return
  const file = join(folder.shown, RUN_FILES.k6Stderr)
  io.stderr([`k6 wrote errors to ${file}:`, ...lines].join('\n'))
}

/** The target that the user named, or one stub in real time whose clock the scenario may move. */
export async function openOwnWorld(
  plan: Pick<Plan, 'world' | 'seed' | 'choices' | 'mutant'> & { target: Target | null },
): Promise<Worlds> {
  if (plan.target) return oneTarget(plan.target)
  const { world, seed, choices, mutant } = plan
  const stub = await startStub({ world, seed, choices, mutant: mutant?.name ?? null, pace: 'real' })
  return { ...oneTarget(targetOf(stub)), close: stub.close }
}
