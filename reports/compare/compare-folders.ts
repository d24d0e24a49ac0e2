import { EXIT } from '../../contract/breakwater-error.ts'
import {
  COMPARISON_VERDICTS,
  type ComparedMetric,
  type Comparison,
  type ComparisonVerdict,
  type Difference,
  SMALLEST_EFFECTS,
  type SmallestEffects,
} from '../../contract/comparison.ts'
import type { Run } from '../../contract/run.ts'
import { adjustByHolm } from '../statistics/compare-means.ts'
import { type Measured, measureDifferences } from './measure-differences.ts'
import { type RunSummary, readRunSummary } from './read-run-summary.ts'
import { computeRunFigures, METRICS, type RunFigures } from './run-figures.ts'

type FolderSide = { label: string; dirs: readonly string[] }

/** Reads the run folders of both sides one at a time and compares them. Throws as readRunSummary does. */
export async function compareFolders(
  options: Omit<CompareOptions, 'a' | 'b'> & { a: FolderSide; b: FolderSide },
): Promise<Comparison> {
  const [a, b] = [await readSide(options.a), await readSide(options.b)]
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
  { name: 'load', of: loadText },
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
}

const CONFIDENCE = 0.95

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
  } = options
  const reasons = whyNotComparable({ a: a.runs, b: b.runs, allowSingleRun, acrossTargets })
  const figures = (side: ComparedSide) =>
    side.runs.map((run) => computeRunFigures(run, { seed, resamples: RESAMPLES }))
  const [ofA, ofB] = [figures(a), figures(b)]
  const measured = measureDifferences({ a: ofA, b: ofB, reasons, confidence: CONFIDENCE })
  const differences = judgeAll(measured, smallestEffects)
  const secondsOnly = reasons.length === 0 && a.runs.length === 1 && b.runs.length === 1
  const verdict =
    COMPARISON_VERDICTS.find((each) => differences.some((one) => one.verdict === each)) ?? 'not comparable'
  return {
    version: 1,
    verdict,
    exitCode: EXIT_OF[verdict],
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

function judgeAll(measured: readonly Measured[], smallestEffects: SmallestEffects): Difference[] {
  const family = measured.filter(isInFamily)
  const adjusted = adjustByHolm(family.map(({ pValue }) => pValue ?? 1))
  const adjustedByDifference = new Map(family.map((each, index) => [each, adjusted[index]]))
  return measured.map((one) => {
    const { lacking, ...each } = one
    const { metric, difference, relativeDifference, interval, relativeInterval, pValue } = each
    if (pValue === null || difference === null || interval === null) {
      return { ...each, pAdjusted: null, verdict: 'not comparable', reason: lacking }
    }
    const pAdjusted = adjustedByDifference.get(one) ?? 1
    const judgement = judgeDifference({
      metric,
      difference,
      relativeDifference,
      interval,
      relativeInterval,
      pValue,
      pAdjusted,
      significance: 1 - CONFIDENCE,
      smallestEffects,
    })
    return { ...each, pAdjusted, ...judgement }
  })
}

/**
 * An event that never happened on either side cannot be worse or better, so it uses up none of the error budget of
 * the family (Tarone 1990).
 */
function isInFamily({ pValue, a, b }: Pick<Difference, 'pValue' | 'a' | 'b'>): boolean {
  return pValue !== null && !(a?.value === 0 && b?.value === 0)
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

type Judgement = { verdict: ComparisonVerdict; reason: string }

/**
 * Judges a difference: B is worse, B is better, or no significant difference, with the reason that says if a
 * difference is ruled out.
 */
export function judgeDifference(options: {
  metric: ComparedMetric
  difference: number
  relativeDifference: number | null
  interval: { low: number; high: number }
  relativeInterval: { low: number; high: number } | null
  pValue: number
  pAdjusted: number
  significance: number
  smallestEffects: SmallestEffects
}): Judgement {
  const { metric, difference, relativeDifference, significance, smallestEffects } = options
  const { isSmall, higherIs, leastText } = METRICS[metric]
  const least = leastText(smallestEffects)
  const tooSmall = (absolute: number, relative: number | null) =>
    isSmall({ absolute, relative }, smallestEffects)
  if (options.pAdjusted >= significance) {
    const { interval, relativeInterval } = options
    const ruledOut =
      tooSmall(interval.low, relativeInterval?.low ?? null) &&
      tooSmall(interval.high, relativeInterval?.high ?? null)
    if (ruledOut) return nothing(`a difference of ${least} is ruled out`)
    if (options.pValue < significance && !tooSmall(difference, relativeDifference)) {
      return nothing('significant alone, but not among this many comparisons; add runs to decide')
    }
    return nothing(
      `no significant difference, but a difference of ${least} is not ruled out; add runs to decide`,
    )
  }
  if (tooSmall(difference, relativeDifference)) {
    return nothing(`there is a difference, but it is smaller than ${least}`)
  }
  const isWorse = difference > 0 === (higherIs === 'worse')
  return {
    verdict: isWorse ? 'worse' : 'better',
    reason: `${difference > 0 ? 'higher' : 'lower'} beyond chance, and by at least ${least}`,
  }
}

function nothing(reason: string): Judgement {
  return { verdict: 'no significant difference', reason }
}
