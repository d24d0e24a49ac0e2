/** `breakwater runs`: what run folders there are, and the end of old ones. */

import { readdir, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { durationMs } from '../k6/k6-args.ts'
import { CLAIM } from '../make-folder.ts'
import { type ListedRun, listRuns, type RunList, runsTable } from '../past-runs/list-runs.ts'
import { paintFor } from '../terminal-text.ts'

type Options = { io: Io; dir: string | undefined; json?: true }

const RUNS = 'runs'

/** Lists the runs of a folder, the newest first. Throws a BreakwaterError (usage) where there is no such folder. */
export async function runRunsList({ io, dir, json }: Options): Promise<ExitCode> {
  const list = await read({ io, dir })
  const { runs, damaged } = list
  if (json) {
    io.document(JSON.stringify({ runs: runs.map(toJson), damaged }, null, 2))
    return EXIT.ok
  }
  for (const line of runsTable(list, paintFor(io))) io.stdout(line)
  if (runs.length === 0) io.stdout(`${dir ?? RUNS}: holds no run that can be read`)
  return EXIT.ok
}

/**
 * Removes runs beyond a number or older than a time, and tells each. Asks nothing. Throws a BreakwaterError: usage where
 * neither is told, environment where a run could not be removed.
 */
export async function runRunsPrune(
  options: Options & { keep?: number; olderThan?: string; dryRun?: true },
): Promise<ExitCode> {
  const { io, dir = RUNS, keep, olderThan, dryRun } = options
  if (keep === undefined && olderThan === undefined) {
    throw new BreakwaterError('runs prune: which runs? Neither --keep nor --older-than is given', {
      hint: 'Such as --keep 20, or --older-than 30d; with both, a run is removed where both allow it.',
    })
  }
  const olderThanMs = olderThan === undefined ? undefined : ageOf(olderThan)
  const list = await read({ io, dir: options.dir })
  if (list.runs[0]?.folder === '.' || list.damaged[0]?.folder === '.') {
    throw new BreakwaterError(`${dir}: is a run itself`, { hint: 'Name the folder that holds it.' })
  }
  const choices = choosePrunable(list, { keep, olderThanMs, nowMs: Date.now() })
  const told: Pruned[] = []
  for (const choice of choices) {
    throwIfInterrupted(io.interrupted, `interrupted: ${countOf(told, 'removed')} of the runs were removed`)
    const pruned = { folder: choice.folder, ...(await prune(choice, { dryRun: dryRun === true })) }
    told.push(pruned)
    if (!options.json) io.stdout(prunedText(pruned, { dryRun: dryRun === true }))
  }
  const failed = countOf(told, 'failed')
  const [gone, kept] = [countOf(told, 'removed'), countOf(told, 'kept')]
  const notGone = failed > 0 ? `, ${failed} could not be removed` : ''
  if (options.json) io.document(JSON.stringify({ dryRun: dryRun === true, runs: told }, null, 2))
  else io.stdout(`${gone} ${dryRun ? 'would be removed' : 'removed'}, ${kept} kept${notGone}`)
  return failed > 0 ? EXIT.environment : EXIT.ok
}

type Pruned = { folder: string; outcome: 'removed' | 'kept' | 'failed'; because: string }

function prunedText({ folder, outcome, because }: Pruned, { dryRun }: { dryRun: boolean }): string {
  return `${(outcome === 'removed' && dryRun ? 'would go' : outcome).padEnd(8)}  ${folder}: ${because}`
}

function countOf(told: readonly Pruned[], outcome: Pruned['outcome']): number {
  return told.filter((one) => one.outcome === outcome).length
}

async function prune(
  { dir, removes, because }: PruneChoice,
  { dryRun }: { dryRun: boolean },
): Promise<Omit<Pruned, 'folder'>> {
  if (!removes || dir === null) return { outcome: 'kept', because }
  try {
    const strange = dryRun ? await strangeIn(dir) : await removeRun(dir)
    if (strange.length === 0) return { outcome: 'removed', because }
    return { outcome: 'kept', because: `holds what no run writes: ${strange.slice(0, 3).join(', ')}` }
  } catch (error) {
    return { outcome: 'failed', because: fileFailure(error) }
  }
}

/** The folder that runs go to is made by the first of them. */
async function read({ io, dir }: Pick<Options, 'io' | 'dir'>): Promise<RunList> {
  const nowMs = Date.now()
  try {
    return await listRuns(resolve(io.cwd, dir ?? RUNS), { shown: dir ?? RUNS, nowMs })
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException // as: errors of node:fs carry a code
    if (dir === undefined && code === 'ENOENT') return { runs: [], damaged: [], others: [] }
    throw error
  }
}

function toJson({ folder, run, standing, rate }: ListedRun) {
  const { id, job, startedAt, finishedAt, target, world, mix, machine } = run
  return { folder, id, job, verdict: standing, startedAt, finishedAt, target, world, mix, rate, machine }
}

function ageOf(text: string): number {
  let ms = Number.NaN
  try {
    ms = durationMs(text)
  } catch {
    // Told below.
  }
  if (Number.isFinite(ms)) return ms
  throw new BreakwaterError(`--older-than ${JSON.stringify(text)}: expected a duration`, {
    hint: 'Such as 30d, 12h or 1d12h.',
  })
}

type PruneLimits = {
  /** So many of the newest stay. */
  keep: number | undefined
  /** What ended less long ago stays. */
  olderThanMs: number | undefined
}

type PruneChoice = { folder: string; dir: string | null; removes: boolean; because: string }

/**
 * What is to be removed of a folder of runs, and why each stays: only runs that have ended, that are beyond the number to
 * keep, and old enough, where both are told. `list.runs` come with the newest first.
 */
function choosePrunable(
  list: RunList,
  { keep, olderThanMs, nowMs }: PruneLimits & { nowMs: number },
): PruneChoice[] {
  const ended = list.runs.filter(({ standing }) => standing !== 'running')
  const kept = new Set(keep === undefined ? [] : ended.slice(0, keep))
  return [
    ...list.runs.map((one) => {
      const because = staysBecause(one, { kept, keep, olderThanMs, nowMs })
      return {
        folder: one.folder,
        dir: one.dir,
        removes: because === undefined,
        because: because ?? ageText(one, nowMs),
      }
    }),
    ...list.damaged.map(({ folder, problem }) =>
      stays(folder, `damaged, so nobody knows what it is: ${problem}`),
    ),
    ...list.others.map((folder) => stays(folder, 'no run folder')),
  ]
}

function stays(folder: string, because: string): PruneChoice {
  return { folder, dir: null, removes: false, because }
}

function staysBecause(
  one: ListedRun,
  { kept, keep, olderThanMs, nowMs }: PruneLimits & { kept: ReadonlySet<ListedRun>; nowMs: number },
): string | undefined {
  if (one.standing === 'running') return 'still running'
  if (kept.has(one)) return `among the newest ${keep}`
  if (olderThanMs !== undefined && nowMs - endedMs(one) <= olderThanMs) return ageText(one, nowMs)
  return undefined
}

function endedMs({ run }: ListedRun): number {
  return Date.parse(run.finishedAt ?? run.startedAt)
}

const DAY_MS = 86_400_000

function ageText(one: ListedRun, nowMs: number): string {
  const days = Math.floor((nowMs - endedMs(one)) / DAY_MS)
  if (days < 0) return 'ended in the future, by the clock of now'
  return days === 0 ? 'ended today' : `ended ${days} ${days === 1 ? 'day' : 'days'} ago`
}

/** All that a run writes: its files, those that a killed one left half-written, and folders. */
const FILES: ReadonlySet<string> = new Set(Object.values(RUN_FILES))
const HALF_WRITTEN = /\.[0-9a-f-]+\.tmp$/
/** Of a search: what its trials write until they are merged. */
const TRIALS = 'trials'
/** Of a comparison: the runs of each side, in folders of their own. */
const SIDES: ReadonlySet<string> = new Set(['a', 'b'])

/**
 * Removes a run folder, run.json last: cut off halfway, it is still a run folder. Where it holds anything that no run writes,
 * nothing is removed, and what that is comes back. Throws as node:fs does.
 */
async function removeRun(dir: string): Promise<string[]> {
  const strange = await strangeIn(dir)
  if (strange.length > 0) return strange
  const names = await readdir(dir)
  for (const name of names.filter((each) => each !== RUN_FILES.run))
    await rm(join(dir, name), { recursive: true })
  await rm(join(dir, RUN_FILES.run))
  await rmdir(dir)
  return []
}

/** Paths in a run folder that no run writes. */
async function strangeIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const strange = entries.map(async (entry) => {
    if (entry.isFile()) return FILES.has(entry.name) || HALF_WRITTEN.test(entry.name) ? [] : [entry.name]
    if (!entry.isDirectory()) return [entry.name]
    if (entry.name === TRIALS || entry.name === CLAIM) return []
    return SIDES.has(entry.name) ? strangeInSide(dir, entry.name) : [`${entry.name}/`]
  })
  return (await Promise.all(strange)).flat()
}

async function strangeInSide(dir: string, side: string): Promise<string[]> {
  const entries = await readdir(join(dir, side), { withFileTypes: true })
  const strange = entries.map(async (entry) =>
    entry.isDirectory()
      ? (await strangeIn(join(dir, side, entry.name))).map((path) => join(side, entry.name, path))
      : [join(side, entry.name)],
  )
  return (await Promise.all(strange)).flat()
}
