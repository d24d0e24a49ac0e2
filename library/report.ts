/** `breakwater/report`: reads and judges run folders (docs/guides/library.md). Only these exports are stable. */
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import type { Comparison } from '../contract/comparison.ts'
import { REPORT_FORMATS, type Report, type ReportFormat } from '../contract/report.ts'
import type { Slo } from '../contract/slo.ts'
import { compareFolders } from '../reports/compare/compare-folders.ts'
import { renderRun } from '../reports/render-run.ts'
import { readRun } from '../reports/run-file.ts'
import { loadSlo } from '../scripts/given-files.ts'
import { parseArguments } from './parse-arguments.ts'

export type { Comparison, Report, ReportFormat }
export { BreakwaterError }

export type ReadOptions = {
  /** Objectives instead of the run's own: a set of docs/reference/objectives.md, or a JSON file. */
  slo?: string
}

/**
 * Judges a run folder and returns its report in the format of `report.json`; writes nothing. Also works for
 * unfinished and killed runs. Throws a BreakwaterError if the folder is not a run, or is a comparison.
 */
export async function readReport(folder: string, options: ReadOptions = {}): Promise<Report> {
  parseArguments('readReport', readSchema, { folder, options })
  return render(folder, { ...options, formats: [] })
}

/** As `readReport`, and writes the report into the folder (default: in all formats). */
export async function writeReport(
  folder: string,
  options: ReadOptions & { formats?: readonly ReportFormat[] } = {},
): Promise<Report> {
  parseArguments('writeReport', writeSchema, { folder, options })
  return render(folder, options)
}

const folder = z.string().min(1)
const readOptions = z.strictObject({ slo: z.string().min(1).optional() })
const readSchema = z.object({ folder, options: readOptions })
const writeSchema = z.object({
  folder,
  options: readOptions.extend({ formats: z.array(z.enum(REPORT_FORMATS)).optional() }),
})

/**
 * Compares the runs of B with those of A, as `breakwater compare` does; writes nothing. `allowSingleRun` also judges one run per side.
 * Throws a BreakwaterError if a folder holds no run, or two hold the same run.
 */
export async function compareRuns(options: {
  a: readonly string[]
  b: readonly string[]
  allowSingleRun?: boolean
  /** Compares two targets on purpose: their names and worlds may differ. */
  acrossTargets?: boolean
}): Promise<Comparison> {
  parseArguments('compareRuns', compareSchema, options, { what: 'set of options' })
  const { a, b, ...others } = options
  return compareFolders({ a: { label: 'A', dirs: a }, b: { label: 'B', dirs: b }, ...others })
}

const side = z.array(z.string().min(1)).min(1)
const compareSchema = z.strictObject({
  a: side,
  b: side,
  allowSingleRun: z.boolean().optional(),
  acrossTargets: z.boolean().optional(),
})

async function render(
  dir: string,
  { slo, formats }: ReadOptions & { formats?: readonly ReportFormat[] },
): Promise<Report> {
  const { job } = await readRun(dir)
  if (job === 'compare') {
    throw new BreakwaterError(`${dir}: is a comparison, not a run`, {
      hint: 'Use compareRuns for its folders a and b.',
    })
  }
  const objectives: Slo | undefined = slo === undefined ? undefined : await loadSlo(slo, process.cwd())
  return renderRun({ dir, ...(formats && { formats }), ...(objectives && { slo: objectives }) })
}
