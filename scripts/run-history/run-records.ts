/** A run history: a folder with a small file for each run, which CI can keep. */
import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { RECORD_BYTES_MAX, type RunRecord, runRecordSchema } from '../../contract/run-record.ts'
import { validate } from '../../contract/validate.ts'
import { readRunSummary } from '../../reports/compare/read-run-summary.ts'
import { missingFolder, readSmallRunFile, writeWhole } from '../../reports/run-file.ts'
import { type GivenHistory, type Released, recordRun } from '../../reports/trend/run-trend.ts'
import type { Io } from '../io.ts'
import { makeFolder } from '../make-folder.ts'

const ENDING = '.run.json'

export function recordFile(id: string): string {
  return `${id}${ENDING}`
}

/** Reads a run folder. Throws a BreakwaterError (usage) if it is not a run that a trend can use. */
export async function makeRecord(dir: string, released: Released, shown: string): Promise<RunRecord> {
  const recorded = recordRun(await readRunSummary(dir), released)
  if (recorded.record !== null) return recorded.record
  throw new BreakwaterError(`${shown}: ${recorded.problem}`, { hint: recorded.hint })
}

/** Throws a BreakwaterError (usage) if the folder is a run, or contains runs: `runs` would accept neither. It may not exist yet. */
export async function mustBeHistory(history: string, shown: string): Promise<void> {
  const names = ['.', ...(await readdir(history).catch(() => []))]
  const isRun = await Promise.all(names.map((name) => isThere(join(history, name, RUN_FILES.run))))
  const run = names[isRun.indexOf(true)]
  if (run === undefined) return
  throw new BreakwaterError(
    `${shown}: ${run === '.' ? 'is a run' : `contains the run ${run}`}, so it is no run history`,
    {
      hint: 'Name another folder with --history, such as run-history.',
    },
  )
}

/** Throws a BreakwaterError (usage) if the history has this run with another release or commit than the given one. */
export function mustAgree(history: string, record: RunRecord, shown: string): void {
  const file = recordFile(record.id)
  const { record: before } = readRecord(history, file)
  for (const what of ['release', 'commit'] as const) {
    if (before === undefined || record[what] === null || before[what] === record[what]) continue
    const had = before[what] === null ? `without a ${what}` : `with the ${what} ${before[what]}`
    throw new BreakwaterError(`${shown}: has the run ${record.id} already, ${had}`, {
      hint: `Remove ${join(shown, file)} to add the run with the ${what} ${record[what]}.`,
    })
  }
}

/** Returns false if the history has this run already. The file is complete or does not exist. */
export async function writeRecord(history: string, record: RunRecord): Promise<boolean> {
  await makeFolder(history, { hint: 'Name a folder for the run history with --history.' })
  const file = join(history, recordFile(record.id))
  if (await isThere(file)) return false
  await writeWhole(
    file,
    `${JSON.stringify(record)}\n`,
    'Check permissions and free disk space, and push the run again.',
  )
  return true
}

/** Reads the history that the user named, and reports damaged files. Throws as `readHistory` does. */
export async function openHistory(
  shown: string,
  { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>,
): Promise<RunHistory & GivenHistory> {
  const history = await readHistory(resolve(cwd, shown), shown)
  for (const { file, problem } of history.damaged) stderr(`damaged, left out: ${file}: ${problem}`)
  return { ...history, shown }
}

/** The history of --history, if there is one. Open it before a run: a bad one must not waste the run. */
export async function openGiven(shown: string | undefined, io: Io): Promise<GivenHistory | undefined> {
  return shown === undefined ? undefined : openHistory(shown, io)
}

export type RunHistory = { records: RunRecord[]; damaged: { file: string; problem: string }[] }

/**
 * Reads every record of a folder, in order of their names. Damaged files are listed and left out. Throws a BreakwaterError (usage) if
 * there is no such folder, or it is a run.
 */
export async function readHistory(folder: string, shown: string): Promise<RunHistory> {
  const history: RunHistory = { records: [], damaged: [] }
  const files = await listRecordFiles(folder, shown)
  if (files.length === 0 && (await isThere(join(folder, RUN_FILES.run)))) {
    const hint = 'Expected a run history, a folder that `breakwater runs push` fills.'
    throw new BreakwaterError(`${shown}: is a run, not a run history`, { hint })
  }
  for (const file of files) {
    const { record, problem } = readRecord(folder, file)
    if (record === undefined) history.damaged.push({ file, problem })
    else history.records.push(record)
  }
  return history
}

/** The names of the files that look like records. Throws a BreakwaterError (usage) if the folder is unreadable. */
export async function listRecordFiles(folder: string, shown: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT')
      throw missingFolder(shown, cause, '`breakwater runs push` adds runs to a history.')
    const hint = 'Expected a run history, a folder that `breakwater runs push` fills.'
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, { hint, cause })
  })
  return entries
    .filter((entry) => entry.name.endsWith(ENDING) && !entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

function readRecord(folder: string, file: string): { record?: RunRecord; problem: string } {
  try {
    const content = JSON.parse(readSmallRunFile(join(folder, file), { bytesMax: RECORD_BYTES_MAX }))
    const { data, problems } = validate(runRecordSchema, content)
    if (problems !== null) return { problem: problems[0] ?? 'not a record of a run' }
    // A copy under another name would count twice.
    if (recordFile(data.id) !== file) return { problem: `the record in it is of the run ${data.id}` }
    return { record: data, problem: '' }
  } catch (error) {
    return { problem: error instanceof SyntaxError ? 'not JSON' : fileFailure(error) }
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}
