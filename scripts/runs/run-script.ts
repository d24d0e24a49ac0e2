import { RUN_FILES } from '../../contract/run.ts'
import type { Io } from '../io.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { followRun } from '../progress/show-progress.ts'
import { projectPath } from '../project.ts'
import type { RunFolder } from './run-folder.ts'

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
