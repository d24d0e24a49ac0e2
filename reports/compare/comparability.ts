import type { Run } from '../../contract/run.ts'
import type { RunSummary } from './read-run-summary.ts'

type Fact = { name: string; of: (run: Run, summary: RunSummary) => string | null; ofTarget?: boolean }

/** What two runs must have in common for their figures to be compared. */
const FACTS: readonly Fact[] = [
  { name: 'target', of: ({ target }) => target.name, ofTarget: true },
  { name: 'world', of: ({ world }) => world, ofTarget: true },
  { name: 'job', of: ({ job }) => job },
  { name: 'mix', of: ({ mix }) => mix },
  { name: 'load', of: loadText },
  { name: 'stages', of: ({ search }) => search?.stages ?? null },
  // Of a load they decide no figure.
  { name: 'set of objectives', of: ({ search }, { objectives }) => (search === null ? null : objectives) },
  { name: 'machine', of: ({ machine }) => machine },
  { name: 'number of load generators', of: ({ instances }) => String(instances) },
  { name: 'k6', of: ({ versions }) => versions.k6 },
]

/** Of a held load only its rate: a run may be longer than another. */
function loadText({ load }: Run): string | null {
  return load === null ? null : `${load.rate} iterations a second`
}

/** What the runs of a side share. Where they differ, all values are told. */
export function factsOf(runs: readonly RunSummary[]): { name: string; value: string }[] {
  return FACTS.flatMap(({ name, of }) => {
    const values = distinct(runs, of)
    return values.length === 1 && values[0] === null ? [] : [{ name, value: listed(values) }]
  })
}

/** Why the sides cannot be compared, each in words without a full stop; empty where they can. */
export function whyNotComparable(options: {
  a: readonly RunSummary[]
  b: readonly RunSummary[]
  single: boolean
  /** Two targets are compared on purpose. */
  acrossTargets: boolean
}): string[] {
  const { a, b, single, acrossTargets } = options
  const facts = FACTS.filter(({ ofTarget }) => !(ofTarget && acrossTargets))
  return [
    ...whyNoRuns(a, b, single),
    ...whyUnlike('A', a),
    ...whyUnlike('B', b),
    ...facts.flatMap(({ name, of }) => {
      const [ofA, ofB] = [distinct(a, of), distinct(b, of)]
      if (ofA.length !== 1 || ofB.length !== 1 || ofA[0] === ofB[0]) return []
      return [`another ${name}: ${listed(ofA)} and ${listed(ofB)}`]
    }),
  ]
}

function whyNoRuns(a: readonly RunSummary[], b: readonly RunSummary[], single: boolean): string[] {
  if (a.length === 0 || b.length === 0) return [`${a.length === 0 ? 'A' : 'B'} has no run`]
  if (a.length > 1 || b.length > 1 || single) return []
  return ['each side is a single run, and how much runs differ by themselves is not known']
}

function whyUnlike(side: string, runs: readonly RunSummary[]): string[] {
  return FACTS.flatMap(({ name, of }) => {
    const values = distinct(runs, of)
    return values.length > 1 ? [`the runs of ${side} differ in their ${name}: ${listed(values)}`] : []
  })
}

function distinct(runs: readonly RunSummary[], of: Fact['of']): (string | null)[] {
  return [...new Set(runs.map((summary) => of(summary.run, summary)))]
}

function listed(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? 'not told').join(', ')
}
