/**
 * report.json: what a run promised, what was observed, and how fast. Other tools read it; `version` rises when it breaks.
 */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'
import { CAPACITY_LIMITS, capacitySchema } from './capacity.ts'
import { feedFiguresSchema, latencyMsSchema } from './feed-figures.ts'
import { needSchema, VERDICTS, waiverSchema } from './finding.ts'
import { runSchema } from './run.ts'

const ruleIds = z.array(z.string())

/** What changed since the last earlier run of the same kind in the same folder. */
const changedSchema = z.object({
  /** That run; null: there is none. */
  since: z
    .object({
      /** The name of its folder, beside that of the run. */
      folder: z.string(),
      startedAt: z.string(),
      verdict: z.string(),
    })
    .nullable(),
  /** Why there is none. */
  reason: z.string().nullable(),
  rules: z.object({
    /** Fail now, and did not then. */
    failing: ruleIds,
    /** Hold now, and failed or stayed open then. */
    held: ruleIds,
    /** Are inconclusive or skipped now, and were judged then. */
    open: ruleIds,
    /** Judged by one of the two runs alone. */
    added: ruleIds,
    removed: ruleIds,
  }),
  /** Objectives whose verdict is another. */
  objectives: z.array(z.object({ objective: z.string(), was: z.enum(VERDICTS), is: z.enum(VERDICTS) })),
  /** What else is not as it was: versions, seed, options, a capacity that was found. */
  facts: z.array(z.object({ name: z.string(), was: z.string(), is: z.string() })),
  /** The p95 of both, where enough requests support it. One run beside one run shows no difference: `breakwater compare` does. */
  latency: z.array(z.object({ routeGroup: z.string(), wasMs: z.number(), isMs: z.number() })),
  /** Why latencies are not put side by side. */
  latencyReason: z.string().nullable(),
  /** The command line that compares the two. */
  compare: z.string().nullable(),
})

export type Changed = z.infer<typeof changedSchema>

/** What a run says of a limit of the specification: a row of contract/limit-rules.ts. */
const limitResultSchema = z.object({
  /** A figure of contract/limits.ts, or `rateLimit`. */
  id: z.string(),
  name: z.string(),
  appliesTo: z.string(),
  promised: z.string(),
  /** The weakest of its rules; skipped where the run was to judge none of them. */
  verdict: z.enum(VERDICTS),
  /** Of the rules that have that verdict. */
  observed: z.string(),
  reason: z.string().nullable(),
  /** The rules of the run that test it; `rules` of the report has what they found. */
  rules: z.array(z.string()),
  /** The command line that judges just this. */
  command: z.string(),
})

export type LimitResult = z.infer<typeof limitResultSchema>

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
