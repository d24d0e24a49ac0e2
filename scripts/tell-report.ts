import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ExitCode } from '../contract/breakwater-error.ts'
import { RUN_FILES } from '../contract/run.ts'
import { renderRun } from '../reports/render-run.ts'
import { verdictTable } from '../reports/verdict-table.ts'
import type { Io } from './io.ts'
import { paintFor } from './paint.ts'
import { step } from './progress/step.ts'
import type { RunFolder } from './run-folder.ts'

/** Renders a run that has ended, prints its verdict table, or report.json, and answers its exit code. */
export async function tellReport(options: {
  folder: Omit<RunFolder, 'finish'>
  json: boolean
  io: Io
}): Promise<ExitCode> {
  const { folder, json, io } = options
  const report = await step(io, 'report', () => renderRun({ dir: folder.dir }))
  if (json) {
    io.document(JSON.stringify(report, null, 2))
    return report.exitCode
  }
  for (const line of verdictTable(report, paintFor(io))) io.stdout(line)
  io.stdout('')
  io.stdout(`Report: ${join(folder.shown, RUN_FILES.reportHtml)}`)
  if (existsSync(folder.file(RUN_FILES.timelineHtml)))
    io.stdout(`Timeline: ${join(folder.shown, RUN_FILES.timelineHtml)}`)
  return report.exitCode
}
