import { join } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Comparison } from '../../contract/comparison.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { compareFolders } from '../../reports/compare/compare-folders.ts'
import { comparisonTable } from '../../reports/compare/comparison-text.ts'
import { writeComparison } from '../../reports/render-comparison.ts'
import { readRun } from '../../reports/run-file.ts'
import type { Io } from '../io.ts'
import { findBaseline } from '../run-history/find-baseline.ts'
import { paintFor } from '../terminal-text.ts'
import type { BaselineOptions } from './with-run.ts'

/** Saves a comparison, if there is a folder, prints its table or comparison.json, and returns its exit code. */
export async function printComparison(options: {
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
 * Compares a completed run with its baseline, prints the difference and saves it in the run's folder. Returns the run's
 * exit code, or 1 instead of 0 if something got worse. A folder without a comparable run only causes a note on stderr,
 * because a first run has no baseline. Throws a BreakwaterError (usage) if the named run is of another kind.
 */
export async function printBaselineComparison(
  options: BaselineOptions & {
    folder: { dir: string; shown: string }
    exitCode: ExitCode
    json: boolean
    io: Io
  },
): Promise<ExitCode> {
  const { baseline, allowSingleRun, folder, exitCode, json, io } = options
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
    allowSingleRun: allowSingleRun === true,
    notes: allowSingleRun ? [] : [HOW_SINGLE],
  })
  // Stdout carries a single JSON object, the report.
  const compared = await printComparison({
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

/** Note on a comparison with a single run on one side, unless requested. */
export const HOW_SINGLE =
  'With --allow-single-run, one run per side is compared by the variation between its seconds.'
