import { RUN_FILES } from '../../contract/run.ts'
import { followLines } from '../follow-lines.ts'
import type { Io } from '../io.ts'
import type { RunFolder } from '../run-folder.ts'
import { followLoad } from './recent-load.ts'
import { createRuleProgress } from './rule-progress.ts'
import { showProgress } from './show-progress.ts'

/**
 * Shows how far a run of one k6 is, until it is stopped: its rules, its time, what is waited for, and its load. A log gets the
 * last state as well.
 */
export function followRun(
  folder: RunFolder,
  { rules, secondsMax, io }: { rules: number; secondsMax: number; io: Io },
): { stop(): Promise<void> } {
  const startedMs = Date.now()
  const progress = createRuleProgress(rules)
  const findings = followLines(folder.file(RUN_FILES.findings), progress.add)
  const load = followLoad([folder.file(RUN_FILES.series)])
  const seconds = () => Math.round((Date.now() - startedMs) / 1000)
  const shown = showProgress(io, {
    async look() {
      await findings.look()
      await load.look()
    },
    parts: () => [
      progress.text(),
      `${seconds()} s of ${secondsMax} s`,
      progress.waitingText({ startedMs, nowMs: Date.now() }) ?? '',
      ...load.parts(),
    ],
  })
  return {
    async stop() {
      await shown.stop()
      if (!io.terminal.stderr) io.tell(`${progress.text()}; ${seconds()} s`)
    },
  }
}
