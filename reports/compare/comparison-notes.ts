import type { RunSummary } from './read-run-summary.ts'

const NOTES_OF_RUNS_MAX = 10

/** Remarks on a comparison: what could not be read, and what it cannot see. */
export function comparisonNotes(options: {
  a: readonly RunSummary[]
  b: readonly RunSummary[]
  reasons: readonly string[]
  /** A side of a single run is judged. */
  single: boolean
}): string[] {
  const { a, b, reasons, single } = options
  const ofRuns = [...a, ...b].flatMap(({ run, notes }) => notes.map((note) => `${run.id}: ${note}`))
  const lengths = [...new Set([...a, ...b].map(({ run }) => run.load?.seconds ?? null))]
  return [
    ...reasons.map((reason) => `Not comparable: ${reason}.`),
    ...(single ? [SINGLE] : []),
    ...(lengths.length > 1
      ? ['The runs are of different length: what changes with time may look like a difference.']
      : []),
    ...ofRuns.slice(0, NOTES_OF_RUNS_MAX),
    ...(ofRuns.length > NOTES_OF_RUNS_MAX
      ? [`${ofRuns.length - NOTES_OF_RUNS_MAX} more remarks on runs are left out.`]
      : []),
  ]
}

const SINGLE =
  'A single run a side: the intervals know how seconds differ within a run, not how one run differs from the next (another start of the target, of the machine, another hour). Two runs of the same build may be called worse or better. Repeat the runs to know.'
