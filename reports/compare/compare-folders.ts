import path from 'node:path'
import { EXIT } from '../../contract/breakwater-error.ts'
import {
  COMPARISON_VERDICTS,
  type Comparison,
  SMALLEST_EFFECTS,
  type SmallestEffects,
  type UntilSure,
  type UntilSureOutcome,
} from '../../contract/comparison.ts'
import type { Run } from '../../contract/run.ts'
import { mustCountOnce } from '../run-file.ts'
import type { LookPlan } from '../statistics/alpha-spending.ts'
import { CONFIDENCE, isInFamily, judgeDifferences } from './judge-difference.ts'
import { measureDifferences } from './measure-differences.ts'
import { type RunSummary, readRunSummary } from './read-run-summary.ts'
import { computeRunFigures, type RunFigures } from './run-figures.ts'
import { type JudgedPairs, judgePairs, whyTooEarly } from './until-sure.ts'

type FolderSide = { label: string; dirs: readonly string[] }

/**
 * Reads the run folders of both sides one at a time and compares them. Throws as readRunSummary does, and a BreakwaterError (usage)
 * if two folders contain the same run: runs are compared as independent ones. Errors show folders relative to `cwd`.
 */
export async function compareFolders(
  options: Omit<CompareOptions, 'a' | 'b'> & { a: FolderSide; b: FolderSide; cwd?: string },
): Promise<Comparison> {
  const { cwd } = options
  const [a, b] = [await readSide(options.a), await readSide(options.b)]
  mustCountOnce(
    [...a.runs, ...b.runs].map(({ dir, run }) => ({
      shown: cwd === undefined ? dir : path.relative(cwd, dir),
      run,
    })),
  )
  return compareRuns({ ...options, a, b })
}

async function readSide({ label, dirs }: FolderSide): Promise<CompareOptions['a']> {
  const runs: RunSummary[] = []
  for (const dir of dirs) runs.push(await readRunSummary(dir))
  return { label, runs }
}

type Fact = { name: string; of: (run: Run, summary: RunSummary) => string | null; ofTarget?: boolean }

/** Facts that must match for two runs to be comparable. */
const FACTS: readonly Fact[] = [
  { name: 'target', of: ({ target }) => target.name, ofTarget: true },
  { name: 'world', of: ({ world }) => world, ofTarget: true },
  { name: 'job', of: ({ job }) => job },
  { name: 'mix', of: ({ mix }) => mix },
  { name: 'arrivals', of: ({ arrivals }) => arrivals },
  { name: 'load', of: loadText },
  { name: 'axis', of: ({ search }) => search && (search.axis ?? 'rate') },
  { name: 'stages', of: ({ search }) => search?.stages ?? null },
  // Objectives do not affect the figures of a load.
  { name: 'set of objectives', of: ({ search }, { objectives }) => (search === null ? null : objectives) },
  { name: 'machine', of: ({ machine }) => machine },
  { name: 'number of load generators', of: ({ instances }) => String(instances) },
  { name: 'k6', of: ({ versions }) => versions.k6 },
]

/** Only the rate: durations may differ. */
function loadText({ load }: Run): string | null {
  return load === null ? null : `${load.rate} iterations/s`
}

/** The facts of a side; lists all values if its runs differ. */
function listFacts(runs: readonly RunSummary[]): { name: string; value: string }[] {
  return FACTS.flatMap(({ name, of }) => {
    const values = distinct(runs, of)
    return values.length === 1 && values[0] === null ? [] : [{ name, value: listed(values) }]
  })
}

/** Reasons why the sides cannot be compared, without a period; empty if they can. */
function whyNotComparable(options: {
  a: readonly RunSummary[]
  b: readonly RunSummary[]
  allowSingleRun: boolean
  acrossTargets: boolean
}): string[] {
  const { a, b, allowSingleRun, acrossTargets } = options
  const facts = FACTS.filter(({ ofTarget }) => !(ofTarget && acrossTargets))
  return [
    ...whyNoRuns(a, b, allowSingleRun),
    ...whyUnlike('A', a),
    ...whyUnlike('B', b),
    ...facts.flatMap(({ name, of }) => {
      const [ofA, ofB] = [distinct(a, of), distinct(b, of)]
      if (ofA.length !== 1 || ofB.length !== 1 || ofA[0] === ofB[0]) return []
      return [`different ${name}: ${listed(ofA)} and ${listed(ofB)}`]
    }),
  ]
}

function whyNoRuns(a: readonly RunSummary[], b: readonly RunSummary[], allowSingleRun: boolean): string[] {
  if (a.length === 0 || b.length === 0) return [`${a.length === 0 ? 'A' : 'B'} has no run`]
  if (a.length > 1 || b.length > 1 || allowSingleRun) return []
  return ['each side has a single run, so the variation between runs is unknown']
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
  return values.map((value) => value ?? 'unknown').join(', ')
}

const NOTES_OF_RUNS_MAX = 10

function comparisonNotes(options: {
  a: readonly RunSummary[]
  b: readonly RunSummary[]
  reasons: readonly string[]
}): string[] {
  const { a, b, reasons } = options
  const ofRuns = [...a, ...b].flatMap(({ run, notes }) => notes.map((note) => `${run.id}: ${note}`))
  const lengths = [...new Set([...a, ...b].map(({ run }) => run.load?.seconds ?? null))]
  return [
    ...reasons.map((reason) => `Not comparable: ${reason}.`),
    ...(reasons.length === 0 ? singleNotes(a.length, b.length) : []),
    ...(lengths.length > 1
      ? ['The runs have different lengths: changes over time may look like a difference.']
      : []),
    ...ofRuns.slice(0, NOTES_OF_RUNS_MAX),
    ...(ofRuns.length > NOTES_OF_RUNS_MAX
      ? [`${ofRuns.length - NOTES_OF_RUNS_MAX} more notes on runs were omitted.`]
      : []),
  ]
}

function singleNotes(runsOfA: number, runsOfB: number): string[] {
  if (runsOfA === 1 && runsOfB === 1) return [SINGLE]
  if (runsOfA > 1 && runsOfB > 1) return []
  const [one, other] = runsOfA === 1 ? ['A', 'B'] : ['B', 'A']
  return [`${one} is a single run: its variation between runs is assumed to equal that of ${other}.`]
}

const SINGLE =
  'Each side has a single run: the intervals cover variation within a run, but not between runs (another start of the target, time of day, other work on the machine). Two runs of the same build may be reported as worse or better. Repeat the runs to be sure.'

type ComparedSide = { label: string; runs: readonly RunSummary[] }

export type CompareOptions = {
  a: ComparedSide
  b: ComparedSide
  /** Judges a single run per side too, by the variation within it. */
  allowSingleRun?: boolean
  /** Compares two targets on purpose: their names and worlds may differ. */
  acrossTargets?: boolean
  smallestEffects?: SmallestEffects
  seed?: number
  notes?: readonly string[]
  /** The runs are pairs, in order, and one more pair may follow. `unlessSure`: the outcome if no pair follows. */
  untilSure?: { plan: LookPlan; orderSeed: number; unlessSure: 'maximum' | 'interrupted' } | undefined
  /** Figures that earlier calls with the same seed computed; new ones are added. */
  known?: Map<RunSummary, RunFigures>
}

/** Variances are within 7 % of those of unlimited resampling. */
const RESAMPLES = 400

/** Compares B with A: each metric of each route, and those of the whole run. All randomness comes from the seed. */
export function compareRuns(options: CompareOptions): Comparison {
  const {
    a,
    b,
    allowSingleRun = false,
    acrossTargets = false,
    smallestEffects = SMALLEST_EFFECTS,
    seed = 1,
    untilSure,
    known = new Map(),
  } = options
  const reasons = [
    ...whyNotComparable({ a: a.runs, b: b.runs, allowSingleRun, acrossTargets }),
    ...(untilSure === undefined ? [] : whyTooEarly(a.runs.length, untilSure.plan)),
  ]
  const figures = (run: RunSummary) => {
    const found = known.get(run) ?? computeRunFigures(run, { seed, resamples: RESAMPLES })
    known.set(run, found)
    return found
  }
  const [ofA, ofB] = [a.runs.map(figures), b.runs.map(figures)]
  const measured = { a: ofA, b: ofB, reasons, smallestEffects }
  const judged = untilSure === undefined ? null : judgePairs({ ...measured, plan: untilSure.plan })
  const differences =
    judged?.differences ??
    judgeDifferences(
      measureDifferences({
        ...measured,
        axis: [...a.runs, ...b.runs][0]?.run.search?.axis,
        confidence: CONFIDENCE,
      }),
      { smallestEffects },
    )
  const verdict =
    COMPARISON_VERDICTS.find((each) => differences.some((one) => one.verdict === each)) ?? 'not comparable'
  const end = untilSure && judged && describeEnd(untilSure, judged)
  const secondsOnly = reasons.length === 0 && a.runs.length === 1 && b.runs.length === 1
  return {
    version: 1,
    verdict,
    exitCode: end && !isSure(end.outcome) ? UNSURE_EXIT_OF[verdict] : EXIT_OF[verdict],
    a: describeSide(a, ofA),
    b: describeSide(b, ofB),
    method: {
      confidence: CONFIDENCE,
      family: differences.filter(isInFamily).length,
      singleRuns: secondsOnly,
      smallestEffects,
      seed,
      resamples: RESAMPLES,
    },
    ...(end && { untilSure: end }),
    differences,
    notes: [...comparisonNotes({ a: a.runs, b: b.runs, reasons }), ...(options.notes ?? [])],
  }
}

const EXIT_OF = {
  worse: EXIT.failed,
  better: EXIT.ok,
  'no significant difference': EXIT.ok,
  'not comparable': EXIT.environment,
} as const

/** `--until-sure` stopped without being sure. */
const UNSURE_EXIT_OF = {
  ...EXIT_OF,
  better: EXIT.inconclusive,
  'no significant difference': EXIT.inconclusive,
} as const

function isSure(outcome: UntilSureOutcome): boolean {
  return outcome === 'worse' || outcome === 'better' || outcome === 'equivalent'
}

function describeEnd(
  { plan, orderSeed, unlessSure }: NonNullable<CompareOptions['untilSure']>,
  { decision, pairs, undecided }: JudgedPairs,
): UntilSure {
  const { firstLook, maxPairs } = plan
  return { outcome: decision ?? unlessSure, pairs, maxPairs, firstLook, undecided, orderSeed }
}

function describeSide({ label, runs }: ComparedSide, figures: readonly RunFigures[]): Comparison['a'] {
  return {
    label,
    runs: runs.map(({ run, dir, seconds }, index) => ({
      id: run.id,
      dir,
      startedAt: run.startedAt,
      seconds,
      requests: figures[index]?.requests ?? 0,
    })),
    facts: listFacts(runs),
  }
}
