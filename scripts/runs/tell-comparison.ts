import { join } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Comparison } from '../../contract/comparison.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { comparisonTable } from '../../reports/compare/comparison-text.ts'
import { writeComparison } from '../../reports/render-comparison.ts'
import { readRun } from '../../reports/run-file.ts'
import type { Io } from '../io.ts'
import { findBaseline } from '../past-runs/find-baseline.ts'
import { paintFor } from '../terminal-text.ts'
import type { BaselineOptions } from './with-run.ts'

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

/**
 * Holds a run that has ended against its baseline: tells the difference, and writes it into the run's folder. Answers the
 * exit code of the run, or 1 where that was 0 and something got worse. A folder that holds no run to compare with is told
 * on stderr and decides nothing: the first run of all has no baseline. Throws a BreakwaterError (usage) where the run
 * that was named is of another kind.
 */
export async function tellBaseline(
  options: BaselineOptions & {
    folder: { dir: string; shown: string }
    /** Of the run. */
    exitCode: ExitCode
    json: boolean
    io: Io
  },
): Promise<ExitCode> {
  const { baseline, single, folder, exitCode, json, io } = options
  if (baseline === undefined || exitCode === EXIT.interrupted) return exitCode
  const run = await readRun(folder.dir)
  const found = await findBaseline({ baseline, run, dir: folder.dir, cwd: io.cwd, nowMs: Date.now() }).catch(
    (error: unknown) => {
      if (!(error instanceof BreakwaterError) || error.exitCode !== EXIT.environment) throw error
      io.stderr(`no baseline: ${error.message}\n`)
      return undefined
    },
  )
  if (found === undefined) return exitCode
  const comparison = await compareFolders({
    a: { label: found.shown, dirs: [found.dir] },
    b: { label: folder.shown, dirs: [folder.dir] },
    single: single === true,
    notes: single ? [] : [HOW_SINGLE],
  })
  // One JSON object goes to stdout, and that is the report.
  const compared = await tellComparison({
    comparison,
    folder,
    json: false,
    io: json ? onStderr(io) : io,
  })
  return exitCode === EXIT.ok && compared === EXIT.failed ? EXIT.failed : exitCode
}

function onStderr(io: Io): Io {
  const { terminal, stderr } = io
  return {
    ...io,
    stdout: stderr,
    terminal: { ...terminal, stdout: terminal.stderr },
  }
}

/** A remark on a comparison that has a side of one run, where that was not asked for. */
export const HOW_SINGLE =
  'With --single one run is judged against one other, by how much their seconds differ.'
