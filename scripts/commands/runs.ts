import { resolve } from 'node:path'
import { BreakwaterError, EXIT, type ExitCode, fileFailure } from '../../contract/breakwater-error.ts'
import { type Io, throwIfInterrupted } from '../io.ts'
import {
  type ListedEntry,
  type Listing,
  listEntries,
  listFolders,
  listingLines,
} from '../run-history/listing.ts'
import { paintFor } from '../terminal-text.ts'

type Options = { io: Io; dir: string | undefined; json?: true }

const RUNS = 'runs'

/** Lists runs, newest first. Throws a BreakwaterError (usage) if the folder does not exist. */
export async function runRunsList({ io, dir, json }: Options): Promise<ExitCode> {
  const listing = await read({ io, dir })
  const { kind, entries, damaged } = listing
  if (json) {
    const runs = entries.map((entry) => ({ [kind]: entry.name, ...entry.json }))
    const notRead = damaged.map(({ name, problem }) => ({ [kind]: name, problem }))
    io.document(JSON.stringify({ runs, damaged: notRead }, null, 2))
    return EXIT.ok
  }
  for (const line of listingLines(listing, paintFor(io))) io.stdout(line)
  if (entries.length === 0) io.stdout(`${dir ?? RUNS}: no readable runs`)
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
  const listing = await read({ io, dir: options.dir })
  if (listing.entries[0]?.name === '.' || listing.damaged[0]?.name === '.') {
    throw new BreakwaterError(`${dir}: is a run, not a folder of runs`, {
      hint: 'Name the folder that contains it.',
    })
  }
  const choices = choosePrunable(listing, { keep, olderThanMs, nowMs: Date.now() })
  const done: Pruned[] = []
  for (const choice of choices) {
    throwIfInterrupted(io.interrupted, `interrupted: ${countOutcomes(done, 'removed')} runs were removed`)
    const pruned = { name: choice.name, ...(await prune(choice, { dryRun: dryRun === true })) }
    done.push(pruned)
    if (!options.json) io.stdout(prunedText(pruned, { dryRun: dryRun === true }))
  }
  const failed = countOutcomes(done, 'failed')
  const [gone, kept] = [countOutcomes(done, 'removed'), countOutcomes(done, 'kept')]
  const notGone = failed > 0 ? `, ${failed} could not be removed` : ''
  const runs = done.map(({ name, outcome, reason }) => ({ [listing.kind]: name, outcome, reason }))
  if (options.json) io.document(JSON.stringify({ dryRun: dryRun === true, runs }, null, 2))
  else io.stdout(`${gone} ${dryRun ? 'would be removed' : 'removed'}, ${kept} kept${notGone}`)
  return failed > 0 ? EXIT.environment : EXIT.ok
}

type Pruned = { name: string; outcome: 'removed' | 'kept' | 'failed'; reason: string }

function prunedText({ name, outcome, reason }: Pruned, { dryRun }: { dryRun: boolean }): string {
  return `${(outcome === 'removed' && dryRun ? 'remove' : outcome).padEnd(8)}  ${name}: ${reason}`
}

function countOutcomes(pruned: readonly Pruned[], outcome: Pruned['outcome']): number {
  return pruned.filter((one) => one.outcome === outcome).length
}

async function prune(
  { entry, reason }: PruneChoice,
  { dryRun }: { dryRun: boolean },
): Promise<Omit<Pruned, 'name'>> {
  if (entry === null) return { outcome: 'kept', reason }
  try {
    const foreign = await entry.findForeign()
    if (foreign.length > 0) {
      return {
        outcome: 'kept',
        reason: `contains files that no run writes: ${foreign.slice(0, 3).join(', ')}`,
      }
    }
    if (!dryRun) await entry.remove()
    return { outcome: 'removed', reason }
  } catch (error) {
    return { outcome: 'failed', reason: fileFailure(error) }
  }
}

/** The default folder does not exist before the first run. */
async function read({ io, dir }: Pick<Options, 'io' | 'dir'>): Promise<Listing> {
  const nowMs = Date.now()
  try {
    return await listEntries(resolve(io.cwd, dir ?? RUNS), { shown: dir ?? RUNS, nowMs })
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException // as: errors of node:fs carry a code
    if (dir === undefined && code === 'ENOENT') return listFolders({ runs: [], damaged: [], others: [] })
    throw error
  }
}

type PruneLimits = {
  /** Number of newest runs to keep of each group. */
  keep: number | undefined
  /** Minimum age. */
  olderThanMs: number | undefined
}

/** `entry` is null if it is kept. */
type PruneChoice = { name: string; entry: ListedEntry | null; reason: string }

/** Selects only runs that have ended and that both limits allow to remove. */
function choosePrunable(
  { kind, entries, damaged, others }: Listing,
  { keep, olderThanMs, nowMs }: PruneLimits & { nowMs: number },
): PruneChoice[] {
  const newest = keep === undefined ? new Set<ListedEntry>() : listNewest(entries, keep)
  const among = `among the newest ${keep}${kind === 'file' ? ' of its group' : ''}`
  return [
    ...entries.map((entry): PruneChoice => {
      const { name, isRunning, age } = entry
      const old = ageText(age, nowMs)
      if (isRunning) return { name, entry: null, reason: 'still running' }
      if (newest.has(entry)) return { name, entry: null, reason: among }
      const isRecent = olderThanMs !== undefined && nowMs - age.atMs <= olderThanMs
      return { name, entry: isRecent ? null : entry, reason: old }
    }),
    ...damaged.map(({ name, problem }) => ({ name, entry: null, reason: `damaged: ${problem}` })),
    ...others.map((name) => ({ name, entry: null, reason: 'not a run folder' })),
  ]
}

/** The first `keep` ended runs of each group. Expects the newest first. */
function listNewest(entries: readonly ListedEntry[], keep: number): Set<ListedEntry> {
  const seen = new Map<string, number>()
  return new Set(
    entries.filter(({ isRunning, group }) => {
      if (isRunning) return false
      const number = (seen.get(group) ?? 0) + 1
      seen.set(group, number)
      return number <= keep
    }),
  )
}

const DAY_MS = 86_400_000

function ageText({ event, atMs }: ListedEntry['age'], nowMs: number): string {
  const days = Math.floor((nowMs - atMs) / DAY_MS)
  if (days < 0) return `${event} in the future, according to the current clock`
  return days === 0 ? `${event} today` : `${event} ${days} ${days === 1 ? 'day' : 'days'} ago`
}
