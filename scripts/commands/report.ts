import path from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../contract/report.ts'
import { unknownName } from '../../contract/unknown-name.ts'
import { RENDERERS, renderRun } from '../../reports/render-run.ts'
import { readRun } from '../../reports/run-file.ts'
import { verdictTable } from '../../reports/verdict-table.ts'
import { loadSlo } from '../given-files.ts'
import { type Io, untilInterrupted } from '../io.ts'
import { openLiveView } from '../live/live-view.ts'
import { openGiven } from '../run-history/run-records.ts'
import { paintFor } from '../terminal-text.ts'

/**
 * Returns the exit code of the run. Throws a BreakwaterError (usage) for an unknown format, a bad SLO file or a folder that is not a
 * run folder.
 */
export async function runReport(options: {
  dir: string
  /** Replaces the objectives of the run. */
  slo?: string | undefined
  /** Separated by commas; default: all. */
  formats?: string | undefined
  /** Folder of the run history whose trend the report shows. */
  history?: string | undefined
  json: boolean
  io: Io
}): Promise<ExitCode> {
  const { dir, io } = options
  const formats = options.formats === undefined ? REPORT_FORMATS : parseFormats(options.formats)
  const slo = options.slo === undefined ? undefined : await loadSlo(options.slo, '.')
  await mustBeOneRun(dir)
  const history = await openGiven(options.history, io)
  const report = await renderRun({ dir, formats, history, ...(slo === undefined ? {} : { slo }) })
  if (options.json) {
    io.document(JSON.stringify(report, null, 2))
    return report.exitCode
  }
  for (const line of verdictTable(report, paintFor(io))) io.stdout(line)
  io.stdout('')
  for (const format of formats) io.stdout(`Report: ${path.join(dir, RENDERERS[format].file)}`)
  return report.exitCode
}

/**
 * Serves the report of a run folder until interrupted, and writes nothing. SIGTERM is a success, like for `stub`. Throws a
 * BreakwaterError: usage as `runReport` does, environment if it cannot listen.
 */
export async function serveReport(options: {
  dir: string
  slo?: string | undefined
  io: Io
}): Promise<ExitCode> {
  const { dir, io } = options
  const slo = options.slo === undefined ? undefined : await loadSlo(options.slo, '.')
  await mustBeOneRun(dir)
  const view = await openLiveView()
  try {
    view.watch({ dir, ...(slo === undefined ? {} : { slo }) })
    io.stdout(`Live view: ${view.url}`)
    await untilInterrupted(io.interrupted)
  } finally {
    await view.end()
  }
  return io.interrupted.reason === 'SIGTERM' ? EXIT.ok : EXIT.interrupted
}

async function mustBeOneRun(dir: string): Promise<void> {
  const { job } = await readRun(dir)
  if (job !== 'compare') return
  throw new BreakwaterError(`${dir}: is a comparison, not a run`, {
    hint: `\`breakwater compare ${path.join(dir, 'a')} ${path.join(dir, 'b')}\` compares its runs again.`,
  })
}

function parseFormats(list: string): ReportFormat[] {
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isFormat(name))
  if (unknown !== undefined) {
    throw unknownName(`--format: unknown format ${JSON.stringify(unknown)}`, {
      name: unknown,
      names: REPORT_FORMATS,
      listed: 'Separate several formats with commas.',
    })
  }
  return [...new Set(names.filter(isFormat))]
}

function isFormat(name: string): name is ReportFormat {
  return REPORT_FORMATS.some((format) => format === name)
}
