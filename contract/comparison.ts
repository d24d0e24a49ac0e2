/**
 * comparison.json: the change from side A to side B, for each route and metric, and its significance. Other tools read it;
 * `version` rises with breaking changes. docs/concepts/statistics.md explains the computation.
 */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'

/** Verdicts on B relative to A; the worst first. */
export const COMPARISON_VERDICTS = ['worse', 'better', 'no significant difference', 'not comparable'] as const
export type ComparisonVerdict = (typeof COMPARISON_VERDICTS)[number]

/**
 * Why `compare --until-sure` stopped adding pairs of runs: sure of one of the first three; `futile`, because more pairs would
 * probably not decide it; the maximum of pairs; or Ctrl-C.
 */
export const UNTIL_SURE_OUTCOMES = [
  'worse',
  'better',
  'equivalent',
  'futile',
  'maximum',
  'interrupted',
] as const
export type UntilSureOutcome = (typeof UNTIL_SURE_OUTCOMES)[number]

/** The last three apply to the whole run, not to a route. */
export const COMPARED_METRICS = [
  'p50',
  'p95',
  'p99',
  'errorRate',
  'rejectedRate',
  'iterationsPerSecond',
  'droppedRate',
  'capacity',
] as const
export type ComparedMetric = (typeof COMPARED_METRICS)[number]

const share = z.number().min(0).max(1)

/**
 * A difference is worse or better only if it is at least this large; for latencies, both limits apply. Smaller differences may
 * be real, but are not worth acting on.
 */
export const smallestEffectsSchema = z.strictObject({
  latency: z.strictObject({ relative: share, ms: z.number().min(0) }),
  /** For iterations per second, and for capacity. */
  rate: z.strictObject({ relative: share }),
  /** As a share: 0.001 is 0.1 percentage points. */
  errorRate: share,
  /** For the share of requests with a 4xx. */
  rejectedRate: share,
  droppedRate: share,
})
export type SmallestEffects = z.infer<typeof smallestEffectsSchema>

export const SMALLEST_EFFECTS: SmallestEffects = {
  latency: { relative: 0.05, ms: 1 },
  rate: { relative: 0.05 },
  errorRate: 0.001,
  rejectedRate: 0.001,
  droppedRate: 0.001,
}

const interval = z.object({ low: z.number(), high: z.number() }).nullable()

/** A metric on one side: over its runs (for latencies and rates the geometric mean), and for each run. */
const sideValueSchema = z.object({ value: z.number(), runs: z.array(z.number()) }).nullable()

export const differenceSchema = z.object({
  /** `*` and null: the whole run. */
  routeGroup: z.string(),
  name: z.string().nullable(),
  metric: z.enum(COMPARED_METRICS),
  /** The capacity of a search over sockets has what it counts. */
  unit: z.enum(['ms', 'share', '/s', 'sockets', 'subscriptions', 'slow readers']),
  a: sideValueSchema,
  b: sideValueSchema,
  /** B minus A, in the unit; null if a side has no value. */
  difference: z.number().nullable(),
  /** The same as a share of A; null if A is 0. */
  relativeDifference: z.number().nullable(),
  /** 95 % interval of this comparison alone, not corrected for the others; with `untilSure`, it holds at every look. */
  interval,
  relativeInterval: interval,
  /**
   * Probability of a difference this large by chance: alone, and corrected for all comparisons of the family (Holm 1979);
   * with `untilSure`, also for the looks.
   */
  pValue: share.nullable(),
  pAdjusted: share.nullable(),
  verdict: z.enum(COMPARISON_VERDICTS),
  /** A sentence without its period. */
  reason: z.string(),
})

const comparedRunSchema = z.object({
  id: z.string(),
  dir: z.string(),
  startedAt: z.string(),
  /** Judged seconds, without the warm-up. */
  seconds: z.int().nonnegative(),
  requests: z.int().nonnegative(),
})

const comparedSideSchema = z.object({
  label: z.string(),
  runs: z.array(comparedRunSchema),
  /** Common properties of the side's runs, for readers: target, mix, load, machine. */
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
})

const untilSureSchema = z.object({
  outcome: z.enum(UNTIL_SURE_OUTCOMES),
  /** Completed pairs of one run per side. */
  pairs: z.int().nonnegative(),
  maxPairs: z.int().positive(),
  /** Pairs at the first look; the later looks follow each pair. */
  firstLook: z.int().positive(),
  /** Comparisons of the family that are neither worse, better nor equivalent. */
  undecided: z.int().nonnegative(),
  /** Draws which side runs first in each pair. */
  orderSeed: z.int(),
})
export type UntilSure = z.infer<typeof untilSureSchema>

export const comparisonSchema = z.object({
  version: z.literal(1),
  /** The worst of all verdicts: better only if nothing is worse. */
  verdict: z.enum(COMPARISON_VERDICTS),
  exitCode: z
    .literal([EXIT.ok, EXIT.failed, EXIT.environment, EXIT.inconclusive])
    .describe(
      '0 nothing is shown to be worse; 1 something is worse; 3 nothing could be compared; 4 with untilSure: stopped without being sure',
    ),
  a: comparedSideSchema,
  b: comparedSideSchema,
  method: z.object({
    confidence: z.number(),
    /** Comparisons judged together: they share the probability of a false positive. */
    family: z.int().nonnegative(),
    /** Each side is a single run, as requested: run-to-run variation is unknown. */
    singleRuns: z.boolean(),
    smallestEffects: smallestEffectsSchema,
    seed: z.int(),
    resamples: z.int(),
  }),
  /** Only for `compare --until-sure`. */
  untilSure: untilSureSchema.optional(),
  differences: z.array(differenceSchema),
  /** Notes that qualify the figures. */
  notes: z.array(z.string()),
})

export type Comparison = z.infer<typeof comparisonSchema>
export type Difference = z.infer<typeof differenceSchema>

/** Returns the JSON Schema (draft 2020-12) of comparison.json. */
export function comparisonJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(comparisonSchema)
}
