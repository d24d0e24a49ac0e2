import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { CLAIM } from '../make-folder.ts'
import type { ListedRun, RunList } from './list-runs.ts'

export type PruneLimits = {
  /** So many of the newest stay. */
  keep: number | undefined
  /** What ended less long ago stays. */
  olderThanMs: number | undefined
}

export type PruneChoice = { folder: string; dir: string | null; removes: boolean; because: string }

/**
 * What is to be removed of a folder of runs, and why each stays: only runs that have ended, that are beyond the number to
 * keep, and old enough, where both are told. `list.runs` come with the newest first.
 */
export function choosePrunable(
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
export async function removeRun(dir: string): Promise<string[]> {
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
export async function strangeIn(dir: string): Promise<string[]> {
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
