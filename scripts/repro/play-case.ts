import { join } from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { writeWhole } from '../../reports/write-whole.ts'
import type { Io } from '../io.ts'
import { k6Args } from '../k6/k6-args.ts'
import { type K6Run, runK6 } from '../k6/run-k6.ts'
import { followRun } from '../progress/follow-run.ts'
import { projectPath } from '../project-path.ts'
import type { RunFolder } from '../run-folder.ts'
import { followTimeline } from './follow-timeline.ts'
import { orderRaces } from './order-races.ts'
import type { ReproPlan } from './plan-repro.ts'
import { createTimelinePrinter } from './timeline-printer.ts'

/** What k6 may take beyond the time of its scenarios: it ends by itself before, unless a peer never answers a close frame. */
const BEYOND_MS = 30_000
const GRACE_MS = 10_000

/** Plays the case to its end, or to the user's; prints the timeline as it goes on, and keeps it. */
export async function playCase(options: {
  plan: ReproPlan
  k6: string
  env: NodeJS.ProcessEnv
  folder: RunFolder
  io: Io
}): Promise<K6Run> {
  const { plan, folder, io } = options
  const printer = createTimelinePrinter(io)
  const timeline = followTimeline({
    file: folder.file(RUN_FILES.findings),
    onEntry: plan.json ? () => {} : printer.print,
  })
  const progress = followRun(folder, { rules: plan.rules.length, secondsMax: plan.durationSecondsMax, io })
  try {
    return await runK6({
      binary: options.k6,
      args: k6Args({
        script: plan.script,
        seriesFile: folder.file(RUN_FILES.series),
        findingsFile: folder.file(RUN_FILES.findings),
      }),
      env: options.env,
      cwd: projectPath('.'),
      deadlineMs: plan.durationSecondsMax * 1000 + BEYOND_MS,
      graceMs: GRACE_MS,
      stdoutFile: folder.file(RUN_FILES.k6Stdout),
      stderrFile: folder.file(RUN_FILES.k6Stderr),
      signal: io.interrupted,
    })
  } finally {
    const lines = orderRaces(await timeline.stop())
    await progress.stop()
    printer.end()
    await writeWhole(
      join(folder.dir, RUN_FILES.timeline),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
  }
}
