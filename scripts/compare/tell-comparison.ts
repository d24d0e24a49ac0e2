import { join } from 'node:path'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import type { Comparison } from '../../contract/comparison.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { comparisonTable } from '../../reports/compare/comparison-table.ts'
import { writeComparison } from '../../reports/render-comparison.ts'
import type { Io } from '../io.ts'
import { paintFor } from '../paint.ts'

/** Writes a comparison into a folder, where there is one, and prints its table, or comparison.json; answers its exit code. */
export async function tellComparison(options: {
  comparison: Comparison
  folder: { dir: string; shown: string } | null
  json: boolean
  io: Io
}): Promise<ExitCode> {
  const { comparison, folder, json, io } = options
  if (folder !== null) await writeComparison(folder.dir, comparison)
  if (json) {
    io.document(JSON.stringify(comparison, null, 2))
    return comparison.exitCode
  }
  for (const line of comparisonTable(comparison, paintFor(io))) io.stdout(line)
  if (folder !== null) {
    io.stdout('')
    io.stdout(`Comparison: ${join(folder.shown, RUN_FILES.comparisonHtml)}`)
  }
  return comparison.exitCode
}
