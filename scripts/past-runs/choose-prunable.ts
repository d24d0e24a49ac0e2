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
