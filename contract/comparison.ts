/**
 * comparison.json: what changed from side A to side B, for each route and metric, and whether that is more than chance.
 * Other tools read it; `version` rises when it breaks. docs/statistics.md tells how it is computed.
 */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'

/** Verdicts on B, as against A; the worst first. */
export const COMPARISON_VERDICTS = ['worse', 'better', 'no difference shown', 'not comparable'] as const
export type ComparisonVerdict = (typeof COMPARISON_VERDICTS)[number]

/** The last three are of the whole run, not of a route. */
export const COMPARED_METRICS = [
  'p50',
  'p95',
  'p99',
  'errorRate',
  'refusedRate',
  'iterationsPerSecond',
  'droppedRate',
  'capacity',
] as const
export type ComparedMetric = (typeof COMPARED_METRICS)[number]

const share = z.number().min(0).max(1)

/**
 * A difference is worse or better only where it is at least this large: of latencies in both ways. Smaller ones may be
 * real, but nobody acts on them.
 */
export const smallestEffectsSchema = z.strictObject({
  latency: z.strictObject({ relative: share, ms: z.number().min(0) }),
  /** Of iterations a second, and of a capacity. */
  rate: z.strictObject({ relative: share }),
  /** As a share: 0.001 is 0.1 percentage points. */
  errorRate: share,
  /** Of requests answered with a 4xx. */
  refusedRate: share,
  droppedRate: share,
})
export type SmallestEffects = z.infer<typeof smallestEffectsSchema>

export const SMALLEST_EFFECTS: SmallestEffects = {
  latency: { relative: 0.05, ms: 1 },
  rate: { relative: 0.05 },
  errorRate: 0.001,
  refusedRate: 0.001,
  droppedRate: 0.001,
}

const interval = z.object({ low: z.number(), high: z.number() }).nullable()

/** A metric on one side: over its runs (of latencies and rates the geometric mean), and of each run. */
const sideValueSchema = z.object({ value: z.number(), runs: z.array(z.number()) }).nullable()

export const differenceSchema = z.object({
  /** `*` and null: the whole run. */
  routeGroup: z.string(),
  name: z.string().nullable(),
  metric: z.enum(COMPARED_METRICS),
  unit: z.enum(['ms', 'share', '/s']),
  a: sideValueSchema,
  b: sideValueSchema,
  /** B less A, in the unit; null where a side has no value. */
  difference: z.number().nullable(),
  /** The same as a share of A; null where A is 0. */
  relativeDifference: z.number().nullable(),
  /** 95 %, of this comparison alone: not widened for the others. */
  interval,
  relativeInterval: interval,
  /** How likely so great a difference is by chance: alone, and corrected for all comparisons of the family (Holm 1979). */
  pValue: share.nullable(),
  pAdjusted: share.nullable(),
  verdict: z.enum(COMPARISON_VERDICTS),
  /** In a sentence without its full stop. */
  because: z.string(),
})

const comparedRunSchema = z.object({
  id: z.string(),
  dir: z.string(),
  startedAt: z.string(),
  /** Judged: without the warm-up. */
  seconds: z.int().nonnegative(),
  requests: z.int().nonnegative(),
})

const comparedSideSchema = z.object({
  label: z.string(),
  runs: z.array(comparedRunSchema),
  /** What the runs of the side have in common, for people: target, mix, load, machine. */
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
})

export const comparisonSchema = z.object({
  version: z.literal(1),
  /** The worst of all: better only where nothing is worse. */
  verdict: z.enum(COMPARISON_VERDICTS),
  exitCode: z
    .literal([EXIT.ok, EXIT.failed, EXIT.environment])
    .describe('0 nothing is shown to be worse; 1 something is worse; 3 nothing could be compared'),
  a: comparedSideSchema,
  b: comparedSideSchema,
  method: z.object({
    confidence: z.number(),
    /** Comparisons judged together: each takes a part of the chance of a false alarm. */
    family: z.int().nonnegative(),
    /** Each side is a single run, as was asked for: differences from run to run cannot be seen. */
    single: z.boolean(),
    smallestEffects: smallestEffectsSchema,
    seed: z.int(),
    resamples: z.int(),
  }),
  differences: z.array(differenceSchema),
  /** Remarks without which the figures would say too much. */
  notes: z.array(z.string()),
})

export type Comparison = z.infer<typeof comparisonSchema>
export type Difference = z.infer<typeof differenceSchema>

/** The JSON Schema (draft 2020-12) of comparison.json. */
export function comparisonJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(comparisonSchema)
}
