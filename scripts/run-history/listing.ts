/** The runs of a folder as `runs list` and `runs prune` use them: run folders, or the records of a run history. */
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { RunRecord } from '../../contract/run-record.ts'
import { figure } from '../../reports/objective-text.ts'
import { groupKey, toPoint } from '../../reports/trend/judge-trend.ts'
import { releaseText } from '../../reports/trend/trend-text.ts'
import type { Paint } from '../../reports/verdict-table.ts'
import { visibleLine } from '../../reports/visible.ts'
import { CLAIM } from '../make-folder.ts'
import { type ListedRun, listRuns, type RunList } from './list-runs.ts'
import { listRecordFiles, type RunHistory, readHistory, recordFile } from './run-records.ts'

export type ListedEntry = {
  /** Name of its folder or file; `.` for the named folder itself. */
  name: string
  /** One per column. */
  cells: readonly string[]
  json: Readonly<Record<string, unknown>>
  age: { event: 'ended' | 'started'; atMs: number }
  isRunning: boolean
  /** The newest runs of each group are kept together. */
  group: string
  /** Files that no run writes; a run that has some is kept. */
  findForeign(): Promise<string[]>
  /** Throws errors of node:fs. */
  remove(): Promise<void>
}

export type Listing = {
  /** Also the name of an entry in JSON. */
  kind: 'folder' | 'file'
  columns: readonly string[]
  /** Newest first. */
  entries: ListedEntry[]
  damaged: { name: string; problem: string }[]
  /** Names of other folders: not from a run. */
  others: string[]
}

/** Throws a BreakwaterError (usage) if the folder is unreadable, or contains run folders and records. */
export async function listEntries(
  dir: string,
  { shown, nowMs }: { shown: string; nowMs: number },
): Promise<Listing> {
  const list = await listRuns(dir, { shown, nowMs })
  if ((await listRecordFiles(dir, shown)).length === 0) return listFolders(list)
  if (list.runs.length + list.damaged.length > 0) {
    throw new BreakwaterError(`${shown}: contains both run folders and records of a run history`, {
      hint: `Move the files ${recordFile('*')} to a folder of their own, such as run-history/.`,
    })
  }
  return listRecords(dir, await readHistory(dir, shown))
}

const COLUMNS = ['run', 'job', 'when (UTC)', 'target', 'mix', 'rate'] as const

export function listFolders({ runs, damaged, others }: RunList): Listing {
  return {
    kind: 'folder',
    columns: [...COLUMNS, 'verdict'],
    entries: runs.map(folderEntry),
    damaged: damaged.map(({ folder, problem }) => ({ name: folder, problem })),
    others,
  }
}

function folderEntry({ folder, dir, run, standing, rate }: ListedRun): ListedEntry {
  const { id, job, startedAt, finishedAt, target, world, mutant, mix, machine } = run
  return {
    name: folder,
    cells: [
      folder === '.' ? id : folder,
      job,
      minuteText(startedAt),
      [target.name, world, mutant].filter((word) => word !== null).join(' '),
      mix ?? '-',
      rateText(rate),
      standing,
    ],
    json: { id, job, verdict: standing, startedAt, finishedAt, target, world, mix, rate, machine },
    age: { event: 'ended', atMs: Date.parse(finishedAt ?? startedAt) },
    isRunning: standing === 'running',
    group: '',
    findForeign: () => findForeign(dir),
    remove: () => removeRun(dir),
  }
}

function listRecords(dir: string, { records, damaged }: RunHistory): Listing {
  return {
    kind: 'file',
    columns: [...COLUMNS, 'p95', 'release'],
    entries: records
      .toSorted(
        (one, other) =>
          Date.parse(other.startedAt) - Date.parse(one.startedAt) || (one.id < other.id ? -1 : 1),
      )
      .map((record) => recordEntry(dir, record)),
    damaged: damaged.map(({ file, problem }) => ({ name: file, problem })),
    others: [],
  }
}

function recordEntry(dir: string, record: RunRecord): ListedEntry {
  const { id, job, startedAt, target, world, mix, machine, release, commit, capacity } = record
  const { p95 } = toPoint(record)
  const rate = record.rate ?? capacity
  return {
    name: recordFile(id),
    cells: [
      id,
      job,
      minuteText(startedAt),
      [target, world].filter((word) => word !== null).join(' '),
      mix ?? '-',
      rateText(rate),
      p95 === null ? '-' : `${figure(p95)} ms`,
      releaseText(record) ?? '-',
    ],
    json: { id, job, startedAt, target, world, mix, rate, p95, release, commit, machine },
    age: { event: 'started', atMs: Date.parse(startedAt) },
    isRunning: false,
    group: groupKey(record),
    findForeign: async () => [],
    remove: () => rm(join(dir, recordFile(id))),
  }
}

const COLORS: Readonly<Record<string, keyof Paint>> = { pass: 'green', fail: 'red', worse: 'red' }
const NUMBERS: ReadonlySet<string> = new Set(['rate', 'p95'])

export function listingLines({ columns, entries, damaged }: Listing, paint: Paint): string[] {
  const rows = entries.map(({ cells }) => cells.map((cell) => visibleLine(cell, 80)))
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map((row) => (row[at] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0
        return NUMBERS.has(columns[at] ?? '') ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [
    ...(rows.length === 0 ? [] : [paint.dim(line(columns))]),
    ...rows.map((row) => {
      const color = columns.at(-1) === 'verdict' ? COLORS[row.at(-1) ?? ''] : undefined
      return color === undefined ? line(row) : paint[color](line(row))
    }),
    ...damaged.map(({ name, problem }) => paint.yellow(`damaged  ${name}: ${visibleLine(problem)}`)),
  ]
}

function minuteText(iso: string): string {
  return new Date(iso).toISOString().slice(0, 16).replace('T', ' ')
}

function rateText(rate: number | null): string {
  return rate === null ? '-' : String(Number(rate.toPrecision(4)))
}

/** Everything that a run writes, including partial files of a killed run. */
const FILES: ReadonlySet<string> = new Set(Object.values(RUN_FILES))
const HALF_WRITTEN = /\.[0-9a-f-]+\.tmp$/
/** Files of a search until they are merged. */
const TRIALS = 'trials'
/** Folders of a comparison with the runs of each side. */
const SIDES: ReadonlySet<string> = new Set(['a', 'b'])

/** Removes run.json last, so that an interrupted removal leaves a run folder. Throws errors of node:fs. */
async function removeRun(dir: string): Promise<void> {
  const names = await readdir(dir)
  for (const name of names.filter((each) => each !== RUN_FILES.run))
    await rm(join(dir, name), { recursive: true })
  await rm(join(dir, RUN_FILES.run))
  await rmdir(dir)
}

/** Files in a run folder that no run writes. Throws errors of node:fs. */
async function findForeign(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const foreign = entries.map(async (entry) => {
    if (entry.isFile()) return FILES.has(entry.name) || HALF_WRITTEN.test(entry.name) ? [] : [entry.name]
    if (!entry.isDirectory()) return [entry.name]
    if (entry.name === TRIALS || entry.name === CLAIM) return []
    return SIDES.has(entry.name) ? findForeignInSide(dir, entry.name) : [`${entry.name}/`]
  })
  return (await Promise.all(foreign)).flat()
}

async function findForeignInSide(dir: string, side: string): Promise<string[]> {
  const entries = await readdir(join(dir, side), { withFileTypes: true })
  const foreign = entries.map(async (entry) =>
    entry.isDirectory()
      ? (await findForeign(join(dir, side, entry.name))).map((path) => join(side, entry.name, path))
      : [join(side, entry.name)],
  )
  return (await Promise.all(foreign)).flat()
}
