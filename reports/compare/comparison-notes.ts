import type { RunSummary } from './read-run-summary.ts'

const NOTES_OF_RUNS_MAX = 10

/** Remarks on a comparison: what could not be read, and what it cannot see. */
export function comparisonNotes(options: {
  a: readonly RunSummary[]
  b: readonly RunSummary[]
  /** Why nothing may be compared; empty where it may. */
  reasons: readonly string[]
}): string[] {
  const { a, b, reasons } = options
  const ofRuns = [...a, ...b].flatMap(({ run, notes }) => notes.map((note) => `${run.id}: ${note}`))
  const lengths = [...new Set([...a, ...b].map(({ run }) => run.load?.seconds ?? null))]
  return [
    ...reasons.map((reason) => `Not comparable: ${reason}.`),
    ...(reasons.length === 0 ? singleNotes(a.length, b.length) : []),
    ...(lengths.length > 1
      ? ['The runs are of different length: what changes with time may look like a difference.']
      : []),
    ...ofRuns.slice(0, NOTES_OF_RUNS_MAX),
    ...(ofRuns.length > NOTES_OF_RUNS_MAX
      ? [`${ofRuns.length - NOTES_OF_RUNS_MAX} more remarks on runs are left out.`]
      : []),
  ]
}

function singleNotes(runsOfA: number, runsOfB: number): string[] {
  if (runsOfA === 1 && runsOfB === 1) return [SINGLE]
  if (runsOfA > 1 && runsOfB > 1) return []
  const [one, other] = runsOfA === 1 ? ['A', 'B'] : ['B', 'A']
  return [`${one} is a single run: it is taken to vary from run to run as ${other} does.`]
}

const SINGLE =
  'A single run a side: the intervals know how seconds differ within a run, not how one run differs from the next (another start of the target, another hour, another neighbour on the machine). Two runs of the same build may well be called worse or better. Repeat the runs to know.'
