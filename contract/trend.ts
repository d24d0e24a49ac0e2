/** The trend of runs that can be compared: `trend --json`, and `trend` in report.json. */
import { z } from 'zod'
import { AXES } from './scenario-config.ts'

/** The facts that two runs must have in common to be compared. */
const groupSchema = z.object({
  job: z.string(),
  target: z.string(),
  mix: z.string().nullable(),
  arrivals: z.string().nullable(),
  axis: z.enum(AXES).nullable(),
  objectives: z.string().nullable(),
  rate: z.number().nullable(),
  seed: z.number().nullable(),
  world: z.string().nullable(),
  choices: z.string().nullable(),
  machine: z.string().nullable(),
  versions: z.string(),
})

/** Milliseconds; null if too few samples support it. */
const percentile = z.number().nullable()

const pointSchema = z.object({
  id: z.string(),
  startedAt: z.string(),
  release: z.string().nullable(),
  commit: z.string().nullable(),
  p50: percentile,
  p95: percentile,
  p99: percentile,
  failedShare: z.number(),
  capacity: z.number().nullable(),
})

const changeSchema = z.object({
  /** Index in `points` of the first run after the change. */
  at: z.int().nonnegative(),
  isConfirmed: z.boolean(),
  /** Null for a candidate. */
  pValue: z.number().nullable(),
  direction: z.enum(['worse', 'better', 'mixed']),
  /** Relative change of each figure from the runs before to those after; of `failed`, the difference of the shares. */
  shifts: z.array(
    z.object({ figure: z.string(), before: z.number(), after: z.number(), change: z.number() }),
  ),
})

const trendSchema = z.object({
  group: groupSchema,
  /** In order of time. */
  points: z.array(pointSchema),
  changes: z.array(changeSchema),
  /** Why the runs were not judged; null if they were. */
  note: z.string().nullable(),
})

/** A run among the earlier runs of its group. It affects no verdict. */
export const runTrendSchema = z.object({
  /** The folder of the run history, as it was given. */
  history: z.string(),
  /** The reason if `trend` is null. */
  reason: z.string().nullable(),
  /** The last point is the run itself, unless another run started at the same time. */
  trend: trendSchema.nullable(),
})

export type TrendGroup = z.infer<typeof groupSchema>
export type TrendPoint = z.infer<typeof pointSchema>
export type TrendChange = z.infer<typeof changeSchema>
export type Trend = z.infer<typeof trendSchema>
export type RunTrend = z.infer<typeof runTrendSchema>
