import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { readRun } from '../read-run.ts'
import { type EarlierReport, readEarlierReport } from './read-earlier-report.ts'
import { isSameKind } from './same-kind.ts'

/** A run beside the one that is told of, and what its report said. */
export type EarlierRun = { folder: string; run: Run; report: EarlierReport }

export type Earlier = { found: EarlierRun; reason: null } | { found: null; reason: string }

type Sibling = { folder: string; run: Run }

/** So many folders are looked at, those whose names sort last first: names of runs begin with their time. */
const FOLDERS_MAX = 400
/** Bytes: what is larger, no run wrote. */
const RUN_FILE_MAX = 4_000_000

/**
 * The last run that ended before this one began, of the same kind, in the folder that holds both. What is damaged is passed
 * over, and so is one without a report. Reads files alone, so the same folders give the same answer.
 */
export async function findEarlierRun(dir: string, run: Run): Promise<Earlier> {
  const parent = path.dirname(path.resolve(dir))
  const own = path.basename(path.resolve(dir))
  const folders = (await foldersIn(parent)).filter((name) => name !== own)
  const candidates: Sibling[] = []
  for (const folder of folders) {
    const sibling = await readSibling(parent, folder)
    if (sibling !== undefined && isEarlier(sibling.run, run)) candidates.push(sibling)
  }
  for (const { folder, run: earlier } of candidates.sort(newestFirst)) {
    const report = await readEarlierReport(path.join(parent, folder))
    if (report !== undefined) return { found: { folder, run: earlier, report }, reason: null }
  }
  return { found: null, reason: reasonFor(candidates.length) }
}

function reasonFor(candidates: number): string {
  return candidates === 0
    ? 'no earlier run of the same job, target, world, choices and mix lies beside this one'
    : `none of the ${candidates} earlier runs beside this one has a report that can be read`
}

/** A link could lead to anywhere. */
async function foldersIn(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .reverse()
    .slice(0, FOLDERS_MAX)
}

async function readSibling(parent: string, folder: string): Promise<Sibling | undefined> {
  const dir = path.join(parent, folder)
  try {
    const file = await lstat(path.join(dir, RUN_FILES.run))
    if (!file.isFile() || file.size > RUN_FILE_MAX) return undefined
    return { folder, run: await readRun(dir) }
  } catch (error) {
    if (error instanceof BreakwaterError || isFileError(error)) return undefined
    throw error
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function isEarlier(earlier: Run, run: Run): boolean {
  return (
    earlier.state === 'finished' &&
    earlier.id !== run.id &&
    Date.parse(earlier.startedAt) < Date.parse(run.startedAt) &&
    isSameKind(earlier, run)
  )
}

function newestFirst(a: Sibling, b: Sibling): number {
  return Date.parse(b.run.startedAt) - Date.parse(a.run.startedAt) || (a.folder < b.folder ? 1 : -1)
}
