/** A run history: a folder with a small file for each run, which CI can keep. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import { RECORD_BYTES_MAX, type RunRecord, runRecordSchema } from '../../contract/run-record.ts'
import { validate } from '../../contract/validate.ts'
import { type RunSummary, readRunSummary } from '../../reports/compare/read-run-summary.ts'
import { missingFolder, readRunFile, writeWhole } from '../../reports/run-file.ts'
import { createHistogram, mergeInto } from '../../reports/statistics/histogram.ts'
import { packHistogram } from '../../reports/trend/pack-histogram.ts'
import { makeFolder } from '../make-folder.ts'

const ENDING = '.run.json'

export function recordFile(id: string): string {
  return `${id}${ENDING}`
}

export type Released = { release: string | null; commit: string | null }

/** Reads a run folder. Throws a BreakwaterError (usage) if it is not a run that a trend can use. */
export async function makeRecord(
  dir: string,
  { release, commit }: Released,
  shown: string,
): Promise<RunRecord> {
  const summary = await readRunSummary(dir)
  const { run, capacity } = summary
  if (run.state !== 'finished') {
    const hint = 'Only finished runs are comparable.'
    throw new BreakwaterError(`${shown}: the run did not finish: ${run.state}`, { hint })
  }
  const { latency, failed } = sumRequests(summary)
  if (latency.count === 0 && capacity === null) {
    const hint = 'A trend needs the requests of a load, or the result of a capacity search.'
    throw new BreakwaterError(`${shown}: the run has no measured request and no capacity`, { hint })
  }
  const { id, job, startedAt, target, mix, arrivals, load, seed, world, choices, machine, versions } = run
  return {
    record: 1,
    id,
    job,
    startedAt,
    target: target.name,
    release,
    commit,
    mix,
    arrivals,
    rate: load?.rate ?? null,
    seed,
    world,
    choices,
    machine,
    versions: { breakwater: versions.breakwater, k6: versions.k6 },
    seconds: summary.seconds,
    failed,
    capacity,
    latency: packHistogram(latency),
  }
}

function sumRequests({ spans }: RunSummary) {
  const latency = createHistogram()
  let failed = 0
  for (const span of spans)
    for (const route of span?.routes.values() ?? []) {
      mergeInto(latency, route.latency)
      failed += route.failed
    }
  return { latency, failed }
}

/** Returns false if the history has this run already. The file is complete or does not exist. */
export async function writeRecord(history: string, record: RunRecord): Promise<boolean> {
  await makeFolder(history, { hint: 'Name a folder for the run history with --history.' })
  const file = join(history, recordFile(record.id))
  if (await isThere(file)) return false
  await writeWhole(file, `${JSON.stringify(record)}\n`)
  return true
}

export type RunHistory = { records: RunRecord[]; damaged: { file: string; problem: string }[] }

/**
 * Reads every record of a folder, in order of their names. Damaged files are listed and left out. Throws a BreakwaterError (usage) if
 * there is no such folder, or it is a run.
 */
export async function readHistory(folder: string, shown: string): Promise<RunHistory> {
  const history: RunHistory = { records: [], damaged: [] }
  for (const file of await listRecordFiles(folder, shown)) {
    const { record, problem } = await readRecord(folder, file)
    if (record === undefined) history.damaged.push({ file, problem })
    else history.records.push(record)
  }
  return history
}

/** The names of the files that look like records. Throws a BreakwaterError (usage) if the folder is unreadable. */
export async function listRecordFiles(folder: string, shown: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') throw missingFolder(shown, cause)
    const hint = 'Expected a run history, a folder that `breakwater runs push` fills.'
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, { hint, cause })
  })
  return entries
    .filter((entry) => entry.name.endsWith(ENDING) && !entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

async function readRecord(folder: string, file: string): Promise<{ record?: RunRecord; problem: string }> {
  try {
    const content = JSON.parse(await readRunFile(join(folder, file), { bytesMax: RECORD_BYTES_MAX }))
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
