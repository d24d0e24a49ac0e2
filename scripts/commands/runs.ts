/** `breakwater runs`: what run folders there are, and the end of old ones. */
import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import { durationMs } from '../k6/k6-args.ts'
import { type ListedRun, listRuns, type RunList, runsTable } from '../past-runs/list-runs.ts'
import { choosePrunable, type PruneChoice, removeRun, strangeIn } from '../past-runs/prune-runs.ts'
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
