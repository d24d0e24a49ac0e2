import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import type { Slo } from '../../contract/slo.ts'

/** What of the runs has to be the same, and how it is shown. */
const SAME: readonly { what: string; of: (source: SourceRun) => string }[] = [
  { what: 'job', of: ({ run }) => run.job },
  { what: 'target', of: ({ run }) => `${run.target.name} at ${run.target.baseUrl}` },
  { what: 'mix', of: ({ run }) => run.mix ?? 'none' },
  {
    what: 'load',
    of: ({ run: { load } }) =>
      load === null ? 'none' : `${load.seconds} s after a warm-up of ${load.warmUpSeconds} s`,
  },
  { what: 'rules to judge', of: ({ run }) => (run.rules.length === 0 ? 'none' : run.rules.join(', ')) },
]

/** Jobs whose runs are each a story of their own. */
const ALONE: Readonly<Record<string, string>> = {
  capacity: 'each search chooses its own loads',
  compare: 'it is a comparison',
  repro: 'it is a case that was played once',
}

/**
 * Throws a BreakwaterError (usage) where the runs are not parts of one: of several generators that made the same load on the same
 * target at the same time.
 */
export function mustBeOneRun(sources: readonly SourceRun[], options: { sloGiven: boolean }): void {
  const [first, ...others] = sources
  if (first === undefined || others.length === 0) {
    throw new BreakwaterError('merge: a single run is nothing to merge', {
      hint: 'Name the run folders of two generators or more.',
    })
  }
  for (const source of sources) mustBeMergeable(source)
  mustDiffer(sources)
  for (const other of others) {
    for (const { what, of } of SAME) mustBeSame(what, first, other, of)
    if (!options.sloGiven) mustHaveSameSlo(first, other)
  }
  mustOverlap(sources)
}

function mustBeMergeable({ shown, run }: SourceRun): void {
  const reason = ALONE[run.job]
  if (reason === undefined) return
  throw new BreakwaterError(`${shown}: a run of ${run.job} cannot be merged: ${reason}`, {
    hint: 'Expected runs of load, run or smoke. To tell two runs apart: `breakwater compare A B`.',
  })
}

/** Also a copy, or a folder beside one that it was merged into: it would count twice. */
function mustDiffer(sources: readonly SourceRun[]): void {
  const seen = new Map<string, string>()
  for (const { shown, run } of sources) {
    for (const id of [run.id, ...run.mergedFrom.map(idOf)]) {
      const before = seen.get(id)
      if (before !== undefined) {
        throw new BreakwaterError(`${shown}: holds the run ${id}, as ${before} does: it would count twice`, {
          hint: 'Name each run once.',
        })
      }
      seen.set(id, shown)
    }
  }
}

function mustBeSame(
  what: string,
  first: SourceRun,
  other: SourceRun,
  of: (source: SourceRun) => string,
): void {
  if (of(first) === of(other)) return
  throw new BreakwaterError(
    `${other.shown}: another ${what} than ${first.shown}: ${of(other)}, not ${of(first)}`,
    {
      hint: 'Merge what several generators did together: the same load on the same target, judged alike.',
    },
  )
}

function mustHaveSameSlo(first: SourceRun, other: SourceRun): void {
  if (JSON.stringify(first.run.slo) === JSON.stringify(other.run.slo)) return
  throw new BreakwaterError(`${other.shown}: other objectives than ${first.shown}`, {
    hint: 'Name those that the whole is to be judged by with --slo FILE.',
  })
}

/** They made one load only while all of them ran. */
function mustOverlap(sources: readonly SourceRun[]): void {
  for (const a of sources) {
    for (const b of sources) {
      const gapMs = Date.parse(b.run.startedAt) - endOf(a)
      if (!(gapMs >= 0)) continue
      throw new BreakwaterError(
        `${b.shown}: began ${Math.round(gapMs / 1000)} s after ${a.shown} had ended, by the clocks of their machines`,
        {
          hint: 'Either they did not run together, or a clock is wrong: set it (NTP), and start all generators at once. Runs one after another: `breakwater compare A B`.',
        },
      )
    }
  }
}

/** Of a run that was killed nobody knows. */
function endOf({ run }: SourceRun): number {
  return run.finishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(run.finishedAt)
}

/** `mergedFrom` tells id and folder. */
function idOf(mergedFrom: string): string {
  return mergedFrom.split(' ', 1)[0] ?? ''
}

/** A run folder that is to be merged with others. */
export type SourceRun = {
  /** As the user named it. */
  shown: string
  run: Run & { slo: Slo | null }
  /** Those that ended. */
  trials: readonly TrialFacts[]
}
