import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { missingFolder, readRun, readRunFile } from '../../reports/run-file.ts'

export type ListedRun = {
  /** Folder name, or `.` for the named folder itself. */
  folder: string
  dir: string
  run: Run
  /** `running`, `killed` or the report's verdict; without a report, how the run ended. */
  standing: string
  /** Iterations/s: the constant rate, or the capacity found. */
  rate: number | null
}

export type RunList = {
  runs: ListedRun[]
  damaged: { folder: string; problem: string }[]
  /** Names of other entries: not from a run, or links. */
  others: string[]
}

/** A run that says `running` but has not changed for this long was killed: k6 writes every second. */
const QUIET_MS = 3_600_000

/**
 * Reads all run folders in a folder, or the folder itself if it is one. Returns damage instead of throwing; throws a
 * BreakwaterError (usage) if the folder is unreadable.
 */
export async function listRuns(
  dir: string,
  { shown, nowMs }: { shown: string; nowMs: number },
): Promise<RunList> {
  const list: RunList = { runs: [], damaged: [], others: [] }
  const names = await namesIn(dir, shown)
  if (names.includes(RUN_FILES.run)) await addTo(list, { folder: '.', dir, nowMs })
  else for (const folder of names) await addTo(list, { folder, dir: join(dir, folder), nowMs })
  list.runs.sort(
    (a, b) => Date.parse(b.run.startedAt) - Date.parse(a.run.startedAt) || (a.folder < b.folder ? -1 : 1),
  )
  return list
}

async function namesIn(dir: string, shown: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory() || entry.name === RUN_FILES.run)
      .map(({ name }) => name)
      .sort()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // as: errors of node:fs carry a code
    if (code === 'ENOENT') throw missingFolder(shown, cause)
    const reason = code === 'ENOTDIR' ? 'it is a file, not a folder' : fileFailure(cause)
    throw new BreakwaterError(`${shown}: cannot be read: ${reason}`, {
      hint: 'Expected a folder of run folders, such as runs/.',
      cause,
    })
  }
}

async function addTo(
  list: RunList,
  { folder, dir, nowMs }: { folder: string; dir: string; nowMs: number },
): Promise<void> {
  if (!(await isThere(join(dir, RUN_FILES.run)))) {
    list.others.push(folder)
    return
  }
  try {
    const run = await readRun(dir)
    const { verdict, capacity } = await readOutcome(dir, run)
    const standing = run.state === 'running' ? await runningOrKilled(dir, nowMs) : (verdict ?? run.state)
    list.runs.push({ folder, dir, run, standing, rate: run.load?.rate ?? capacity })
  } catch (error) {
    if (!(error instanceof BreakwaterError)) throw error
    list.damaged.push({ folder, problem: withoutPath(error.message, dir) })
  }
}

async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}

async function runningOrKilled(dir: string, nowMs: number): Promise<'running' | 'killed'> {
  return nowMs - (await newestChangeMs(dir)) < QUIET_MS ? 'running' : 'killed'
}

/** Includes all nested files and folders: runs with several parts write into subfolders. */
async function newestChangeMs(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true }).catch(() => [])
  const times = ['.', ...entries].map((name) =>
    lstat(join(dir, name)).then(
      ({ mtimeMs }) => mtimeMs,
      // Deleted since it was listed, for example while being replaced.
      () => 0,
    ),
  )
  return Math.max(...(await Promise.all(times)))
}

/** The output already shows the folder before the message. */
function withoutPath(message: string, dir: string): string {
  return message.replaceAll(`${dir}/`, '').replaceAll(`${dir}: `, '')
}

type Outcome = {
  /** From the report or comparison; null: none readable. */
  verdict: string | null
  capacity: number | null
}

const word = z.string().regex(/^[a-z][a-z -]{0,39}$/)
const outcomeSchema = z.object({
  verdict: word,
  capacity: z.object({ rate: z.number().nullable() }).nullable().default(null),
})

/**
 * Reads a run's result from the report or comparison, but only the fields needed, so files of other versions may work.
 */
async function readOutcome(dir: string, { job }: Pick<Run, 'job'>): Promise<Outcome> {
  const file = job === 'compare' ? RUN_FILES.comparisonJson : RUN_FILES.reportJson
  const parsed = outcomeSchema.safeParse(await readRunFile(join(dir, file)).then(parse, () => undefined))
  return parsed.success
    ? { verdict: parsed.data.verdict, capacity: parsed.data.capacity?.rate ?? null }
    : { verdict: null, capacity: null }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
