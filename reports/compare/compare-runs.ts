import { EXIT } from '../../contract/breakwater-error.ts'
import {
  COMPARISON_VERDICTS,
  type Comparison,
  type Difference,
  SMALLEST_EFFECTS,
  type SmallestEffects,
} from '../../contract/comparison.ts'
import { adjustByHolm } from '../statistics/holm.ts'
import { factsOf, whyNotComparable } from './comparability.ts'
import { comparisonNotes } from './comparison-notes.ts'
import { judgeDifference } from './judge-difference.ts'
import { type Measured, measureDifferences } from './measure-differences.ts'
import type { RunSummary } from './read-run-summary.ts'
import { figuresOf, type RunFigures } from './run-figures.ts'

export type ComparedSide = { label: string; runs: readonly RunSummary[] }

export type CompareOptions = {
  a: ComparedSide
  b: ComparedSide
  /** Judges a single run a side too, by its seconds alone. */
  single?: boolean
  /** Two targets are compared on purpose: their names and worlds may differ. */
  acrossTargets?: boolean
  smallestEffects?: SmallestEffects
  seed?: number
  /** Further remarks, in sentences. */
  notes?: readonly string[]
}

const CONFIDENCE = 0.95

/** The variance of a figure comes out within 7 % of what endless resampling would give. */
const RESAMPLES = 400

/** Compares B with A: each metric of each route, and those of the whole run. All chance comes from the seed. */
export function compareRuns(options: CompareOptions): Comparison {
  const {
    a,
    b,
    single = false,
    acrossTargets = false,
    smallestEffects = SMALLEST_EFFECTS,
    seed = 1,
  } = options
  const reasons = whyNotComparable({ a: a.runs, b: b.runs, single, acrossTargets })
  const figures = (side: ComparedSide) =>
    side.runs.map((run) => figuresOf(run, { seed, resamples: RESAMPLES }))
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
      family: differences.filter(isOfFamily).length,
      single: secondsOnly,
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
  'no difference shown': EXIT.ok,
  'not comparable': EXIT.environment,
} as const

function judgeAll(measured: readonly Measured[], smallestEffects: SmallestEffects): Difference[] {
  const family = measured.filter(isOfFamily)
  const adjusted = adjustByHolm(family.map(({ pValue }) => pValue ?? 1))
  const adjustedOf = new Map(family.map((each, index) => [each, adjusted[index]]))
  return measured.map((one) => {
    const { lacking, ...each } = one
    const { metric, difference, relativeDifference, interval, relativeInterval, pValue } = each
    if (pValue === null || difference === null || interval === null) {
      return { ...each, pAdjusted: null, verdict: 'not comparable', because: lacking }
    }
    const pAdjusted = adjustedOf.get(one) ?? 1
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
 * What never happened on either side cannot be called worse or better, so it needs no part of the chance of a false alarm
 * (Tarone 1990).
 */
function isOfFamily({ pValue, a, b }: Pick<Difference, 'pValue' | 'a' | 'b'>): boolean {
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
    facts: factsOf(runs),
  }
}
