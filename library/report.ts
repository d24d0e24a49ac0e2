/** `breakwater/report`: reads and judges run folders (docs/guides/library.md). Only these exports are stable. */
import { BreakwaterError } from '../contract/breakwater-error.ts'
import type { Comparison } from '../contract/comparison.ts'
import type { Report, ReportFormat } from '../contract/report.ts'
import type { Slo } from '../contract/slo.ts'
import { compareFolders } from '../reports/compare/compare-folders.ts'
import { renderRun } from '../reports/render-run.ts'
import { readRun } from '../reports/run-file.ts'
import { loadSlo } from '../scripts/given-files.ts'

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
export function readReport(folder: string, options: ReadOptions = {}): Promise<Report> {
  return render(folder, { ...options, formats: [] })
}

/** As `readReport`, and writes the report into the folder (default: in all formats). */
export function writeReport(
  folder: string,
  options: ReadOptions & { formats?: readonly ReportFormat[] } = {},
): Promise<Report> {
  return render(folder, options)
}

/**
 * Compares the runs of B with those of A, as `breakwater compare` does; writes nothing. `allowSingleRun` also judges one run per side.
 * Throws a BreakwaterError if a folder holds no run.
 */
export function compareRuns(options: {
  a: readonly string[]
  b: readonly string[]
  allowSingleRun?: boolean
  /** Compares two targets on purpose: their names and worlds may differ. */
  acrossTargets?: boolean
}): Promise<Comparison> {
  const { a, b, ...others } = options
  return compareFolders({ a: { label: 'A', dirs: a }, b: { label: 'B', dirs: b }, ...others })
}

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
