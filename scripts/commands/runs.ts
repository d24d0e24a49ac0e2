import { readdir, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { CLAIM } from '../make-folder.ts'
import { type ListedRun, listRuns, type RunList, runsTable } from '../run-history/list-runs.ts'
import { paintFor } from '../terminal-text.ts'

type Options = { io: Io; dir: string | undefined; json?: true }

const RUNS = 'runs'

/** Lists runs, newest first. Throws a BreakwaterError (usage) if the folder does not exist. */
export async function runRunsList({ io, dir, json }: Options): Promise<ExitCode> {
  const list = await read({ io, dir })
  const { runs, damaged } = list
  if (json) {
    io.document(JSON.stringify({ runs: runs.map(toJson), damaged }, null, 2))
    return EXIT.ok
  }
  for (const line of runsTable(list, paintFor(io))) io.stdout(line)
  if (runs.length === 0) io.stdout(`${dir ?? RUNS}: no readable runs`)
  return EXIT.ok
}

/** Throws a BreakwaterError (usage) without a limit. Returns EXIT.environment if a run could not be removed. */
export async function runRunsPrune(
  options: Options & { keep?: number; olderThan?: number; dryRun?: true },
): Promise<ExitCode> {
  const { io, dir = RUNS, keep, olderThan: olderThanMs, dryRun } = options
  if (keep === undefined && olderThanMs === undefined) {
    throw new BreakwaterError('runs prune: --keep or --older-than is required', {
      hint: 'For example --keep 20 or --older-than 30d. With both, a run is removed only if both allow it.',
    })
  }
  const list = await read({ io, dir: options.dir })
  if (list.runs[0]?.folder === '.' || list.damaged[0]?.folder === '.') {
    throw new BreakwaterError(`${dir}: is a run, not a folder of runs`, {
      hint: 'Name the folder that contains it.',
    })
  }
  const choices = choosePrunable(list, { keep, olderThanMs, nowMs: Date.now() })
  const done: Pruned[] = []
  for (const choice of choices) {
    throwIfInterrupted(io.interrupted, `interrupted: ${countOutcomes(done, 'removed')} runs were removed`)
    const pruned = { folder: choice.folder, ...(await prune(choice, { dryRun: dryRun === true })) }
    done.push(pruned)
    if (!options.json) io.stdout(prunedText(pruned, { dryRun: dryRun === true }))
  }
  const failed = countOutcomes(done, 'failed')
  const [gone, kept] = [countOutcomes(done, 'removed'), countOutcomes(done, 'kept')]
  const notGone = failed > 0 ? `, ${failed} could not be removed` : ''
  if (options.json) io.document(JSON.stringify({ dryRun: dryRun === true, runs: done }, null, 2))
  else io.stdout(`${gone} ${dryRun ? 'would be removed' : 'removed'}, ${kept} kept${notGone}`)
  return failed > 0 ? EXIT.environment : EXIT.ok
}

type Pruned = { folder: string; outcome: 'removed' | 'kept' | 'failed'; reason: string }

function prunedText({ folder, outcome, reason }: Pruned, { dryRun }: { dryRun: boolean }): string {
  return `${(outcome === 'removed' && dryRun ? 'remove' : outcome).padEnd(8)}  ${folder}: ${reason}`
}

function countOutcomes(pruned: readonly Pruned[], outcome: Pruned['outcome']): number {
  return pruned.filter((one) => one.outcome === outcome).length
}

async function prune(
  { dir, removes, reason }: PruneChoice,
  { dryRun }: { dryRun: boolean },
): Promise<Omit<Pruned, 'folder'>> {
  if (!removes || dir === null) return { outcome: 'kept', reason }
  try {
    const foreign = dryRun ? await findForeign(dir) : await removeRun(dir)
    if (foreign.length === 0) return { outcome: 'removed', reason }
    return {
      outcome: 'kept',
      reason: `contains files that no run writes: ${foreign.slice(0, 3).join(', ')}`,
    }
  } catch (error) {
    return { outcome: 'failed', reason: fileFailure(error) }
  }
}

/** The default folder does not exist before the first run. */
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

type PruneLimits = {
  /** Number of newest runs to keep. */
  keep: number | undefined
  /** Minimum age since the end of a run. */
  olderThanMs: number | undefined
}

type PruneChoice = { folder: string; dir: string | null; removes: boolean; reason: string }

/** Selects only runs that have ended and that both limits allow to remove. Expects `list.runs` newest first. */
function choosePrunable(
  list: RunList,
  { keep, olderThanMs, nowMs }: PruneLimits & { nowMs: number },
): PruneChoice[] {
  const ended = list.runs.filter(({ standing }) => standing !== 'running')
  const kept = new Set(keep === undefined ? [] : ended.slice(0, keep))
  return [
    ...list.runs.map((one) => {
      const reason = reasonToKeep(one, { kept, keep, olderThanMs, nowMs })
      return {
        folder: one.folder,
        dir: one.dir,
        removes: reason === undefined,
        reason: reason ?? ageText(one, nowMs),
      }
    }),
    ...list.damaged.map(({ folder, problem }) => keepEntry(folder, `damaged: ${problem}`)),
    ...list.others.map((folder) => keepEntry(folder, 'not a run folder')),
  ]
}

function keepEntry(folder: string, reason: string): PruneChoice {
  return { folder, dir: null, removes: false, reason }
}

function reasonToKeep(
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
  if (days < 0) return 'ended in the future, according to the current clock'
  return days === 0 ? 'ended today' : `ended ${days} ${days === 1 ? 'day' : 'days'} ago`
}

/** Everything that a run writes, including partial files of a killed run. */
const FILES: ReadonlySet<string> = new Set(Object.values(RUN_FILES))
const HALF_WRITTEN = /\.[0-9a-f-]+\.tmp$/
/** Files of a search until they are merged. */
const TRIALS = 'trials'
/** Folders of a comparison with the runs of each side. */
const SIDES: ReadonlySet<string> = new Set(['a', 'b'])

/**
 * Removes run.json last, so that an interrupted removal leaves a run folder. If the folder contains files that no run writes, returns
 * them and removes nothing. Throws errors of node:fs.
 */
async function removeRun(dir: string): Promise<string[]> {
  const foreign = await findForeign(dir)
  if (foreign.length > 0) return foreign
  const names = await readdir(dir)
  for (const name of names.filter((each) => each !== RUN_FILES.run))
    await rm(join(dir, name), { recursive: true })
  await rm(join(dir, RUN_FILES.run))
  await rmdir(dir)
  return []
}

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
