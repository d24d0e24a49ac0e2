/**
 * report.json: what a run promised, what was observed, and how fast. Other tools read it; `version` rises when it breaks.
 */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'
import { CAPACITY_LIMITS, capacitySchema } from './capacity.ts'
import { changedSchema } from './changed.ts'
import { feedFiguresSchema } from './feed-figures.ts'
import { needSchema, VERDICTS } from './finding.ts'
import { latencyMsSchema } from './latency-ms.ts'
import { limitResultSchema } from './limit-result.ts'
import { runSchema } from './run.ts'
import { waiverSchema } from './waiver.ts'

export const REPORT_FORMATS = ['html', 'json', 'junit', 'md'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const RUN_VERDICTS = ['pass', 'fail', 'inconclusive', 'interrupted'] as const
export type RunVerdict = (typeof RUN_VERDICTS)[number]

const count = z.int().nonnegative()

const exitCode = z
  .literal([EXIT.ok, EXIT.failed, EXIT.environment, EXIT.inconclusive, EXIT.interrupted])
  .describe('0 all held; 1 a rule or SLO failed; 3 nothing could be judged; 4 inconclusive; 130 interrupted')

const ruleResultSchema = z.object({
  id: z.string(),
  verdict: z.enum(VERDICTS),
  expected: z.string(),
  observed: z.string(),
  evidence: z.array(z.string()),
  /** Why a verdict is inconclusive or skipped. */
  reason: z.string().nullable(),
  /** Of a skipped rule: what would let it be judged; null if that is not known, and for every other verdict. */
  needs: needSchema.nullable(),
  /** Of a failure that is put up with: it does not fail the run. Null for every other verdict. */
  waiver: waiverSchema.omit({ rule: true }).nullable(),
})

const objectiveVerdict = {
  /** Null: judged over all of the time together. Else what was observed is of the worst window. */
  windowSeconds: count.nullable(),
  /** Whole windows: those that could be judged, those of them that failed, and those with too few samples. */
  windows: z.object({ judged: count, failed: count, unjudged: count }).nullable(),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  /** Requests, iterations, events or sockets that the observation rests on. */
  samples: count,
  reason: z.string().nullable(),
}

const rate = z.number().min(0).max(1)
const observedRate = rate.nullable()

const objectiveResultSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('latency'),
    routeGroup: z.string(),
    quantile: z.number(),
    latencyMsMax: z.number(),
    observedMs: latencyMsSchema,
    ...objectiveVerdict,
  }),
  z.object({
    kind: z.literal('errors'),
    routeGroup: z.string(),
    errorRateMax: rate,
    observedErrorRate: observedRate,
    ...objectiveVerdict,
  }),
  z.object({
    kind: z.literal('refused'),
    routeGroup: z.string(),
    refusedRateMax: rate,
    observedRefusedRate: observedRate,
    ...objectiveVerdict,
  }),
  z.object({
    kind: z.literal('dropped'),
    droppedRateMax: rate,
    observedDroppedRate: observedRate,
    ...objectiveVerdict,
  }),
  z.object({
    kind: z.literal('feed-delay'),
    quantile: z.number(),
    feedDelayMsMax: z.number(),
    /** At the least and at the most: the clocks of target and generator are known to agree only so far. */
    observedLeastMs: latencyMsSchema,
    observedMs: latencyMsSchema,
    ...objectiveVerdict,
  }),
  z.object({
    kind: z.literal('synchronize'),
    quantile: z.number(),
    synchronizeMsMax: z.number(),
    observedMs: latencyMsSchema,
    ...objectiveVerdict,
  }),
])

const latency = {
  routeGroup: z.string(),
  /** Requests measured. */
  count,
  /** Requests that k6 counted as failed. */
  failed: count,
  p50: latencyMsSchema,
  p95: latencyMsSchema,
  p99: latencyMsSchema,
  max: latencyMsSchema,
}

export const reportSchema = z.object({
  version: z.literal(1),
  job: z.string(),
  verdict: z.enum(RUN_VERDICTS),
  exitCode,
  rules: z.array(ruleResultSchema),
  /** Findings on rules that this version's catalogue does not have; they decide nothing. */
  unknownRules: z.array(z.string()),
  slo: z.object({ name: z.string(), objectives: z.array(objectiveResultSchema) }).nullable(),
  capacity: capacitySchema.nullable(),
  changed: changedSchema,
  /** One a limit of the specification; empty where the run was to judge none. */
  limits: z.array(limitResultSchema),
  /** Null where nothing of the feed was measured. */
  feed: feedFiguresSchema.nullable(),
  /** What kept the run from more. `by` null: nothing shows what, or that anything did. */
  limited: z.object({
    by: z.enum(CAPACITY_LIMITS).nullable(),
    /** In sentences. */
    because: z.array(z.string()),
  }),
  run: runSchema.omit({
    version: true,
    job: true,
    rules: true,
    ownRules: true,
    waivers: true,
    repro: true,
    notes: true,
    slo: true,
    search: true,
  }),
  /** `*` is all route groups together, dropped iterations included as requests of infinite latency. */
  latency: z.object({
    groups: z.array(z.object(latency)),
    routes: z.array(z.object({ ...latency, name: z.string() })),
  }),
  /** What the load generator did, and what it could not do. */
  generator: z.object({
    requests: count,
    failedRequests: count,
    iterations: count,
    droppedIterations: count,
    /** Seconds from the first measured second to the last. */
    measuredSeconds: count,
    /** False where the generator was stopped before it finished its series, or the series is damaged. */
    complete: z.boolean(),
  }),
  /** Remarks without which the figures would say too much. */
  notes: z.array(z.string()),
})

export type Report = z.infer<typeof reportSchema>
export type RuleResult = z.infer<typeof ruleResultSchema>
export type ObjectiveResult = z.infer<typeof objectiveResultSchema>
export type LatencyMs = z.infer<typeof latencyMsSchema>
export type RouteLatency = Report['latency']['routes'][number]

/** The JSON Schema (draft 2020-12) of report.json. */
export function reportJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(reportSchema)
}
