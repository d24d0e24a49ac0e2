/** report.json: verdicts, observations and latencies of a run. Other tools read it; `version` rises with breaking changes. */
import { z } from 'zod'
import { EXIT } from './breakwater-error.ts'
import { CAPACITY_LIMITS, capacitySchema } from './capacity.ts'
import { needSchema, VERDICTS, waiverSchema } from './finding.ts'
import { runSchema } from './run.ts'
import { runTrendSchema } from './trend.ts'

const ruleIds = z.array(z.string())

/** Changes since the last earlier run of the same kind in the same folder. */
const changesSchema = z.object({
  /** The earlier run; null: none. */
  since: z
    .object({
      /** The name of its folder, next to that of the run. */
      folder: z.string(),
      startedAt: z.string(),
      verdict: z.string(),
    })
    .nullable(),
  /** The reason if `since` is null. */
  reason: z.string().nullable(),
  rules: z.object({
    /** Fail now, and did not before. */
    failing: ruleIds,
    /** Pass now, and failed or were inconclusive before. */
    passing: ruleIds,
    /** Are inconclusive or skipped now, and were judged before. */
    inconclusive: ruleIds,
    /** Judged by only one of the two runs. */
    added: ruleIds,
    removed: ruleIds,
  }),
  /** Objectives whose verdict changed. */
  objectives: z.array(z.object({ objective: z.string(), before: z.enum(VERDICTS), after: z.enum(VERDICTS) })),
  /** Other differences: versions, seed, options, the capacity found. */
  facts: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
  /** The p95 of both, with enough requests for it. Two single runs cannot show a difference; `breakwater compare` can. */
  latency: z.array(z.object({ routeGroup: z.string(), beforeMs: z.number(), afterMs: z.number() })),
  /** The reason why latencies are not compared. */
  latencyReason: z.string().nullable(),
  /** The command line that compares the two. */
  compareCommand: z.string().nullable(),
})

export type Changes = z.infer<typeof changesSchema>

/** The result for a limit of the specification: a row of contract/limit-rules.ts. */
const limitResultSchema = z.object({
  /** A figure of contract/limits.ts, or `rateLimit`. */
  id: z.string(),
  name: z.string(),
  appliesTo: z.string(),
  specified: z.string(),
  /** The weakest verdict of its rules; skipped if the run selected none of them. */
  verdict: z.enum(VERDICTS),
  /** Observation of the rules with that verdict. */
  observed: z.string(),
  reason: z.string().nullable(),
  /** The rules of the run that test it; `rules` of the report has their findings. */
  rules: z.array(z.string()),
  /** The command line that checks only this limit. */
  command: z.string(),
})

export type LimitResult = z.infer<typeof limitResultSchema>

export const REPORT_FORMATS = ['html', 'json', 'junit', 'md'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const RUN_VERDICTS = ['pass', 'fail', 'inconclusive', 'interrupted'] as const
export type RunVerdict = (typeof RUN_VERDICTS)[number]

const count = z.int().nonnegative()

/** Milliseconds; `infinite` if dropped iterations reach into the percentile; null if there are too few samples for it. */
export const latencyMsSchema = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()

const quantiles = z.object({
  samples: count,
  p50: latencyMsSchema,
  p95: latencyMsSchema,
  p99: latencyMsSchema,
  max: latencyMsSchema,
})

/** Client measurements of the live feed. Null: not measured. */
export const feedFiguresSchema = z.object({
  /** Lower and upper bound of the event delay: the clocks of target and generator agree only to some extent. */
  delay: z.object({ lowerBound: quantiles, upperBound: quantiles }).nullable(),
  /** Events whose delay could not be measured, by reason. */
  unmeasured: z.array(z.object({ reason: z.string(), events: count })),
  /** From opening a socket to `synchronized`; sockets without it count as infinite. */
  synchronize: quantiles.nullable(),
  /** By outcome; unresponsive: no `synchronized`; rejected: no ticket, or no socket. */
  sockets: z.object({ served: count, unresponsive: count, rejected: count }).nullable(),
  /** All opened sockets, including those of probes, and the time until each was open. */
  connects: quantiles.nullable(),
  messages: z.object({ received: count, sent: count }).nullable(),
})

const exitCode = z
  .literal([EXIT.ok, EXIT.failed, EXIT.environment, EXIT.inconclusive, EXIT.interrupted])
  .describe(
    '0 all passed; 1 a rule or SLO failed; 3 nothing could be judged; 4 inconclusive; 130 interrupted',
  )

const ruleResultSchema = z.object({
  id: z.string(),
  verdict: z.enum(VERDICTS),
  expected: z.string(),
  observed: z.string(),
  evidence: z.array(z.string()),
  /** The reason for an inconclusive or skipped verdict. */
  reason: z.string().nullable(),
  /** For a skipped rule: the missing requirement; null if unknown, and for every other verdict. */
  needs: needSchema.nullable(),
  /** For a waived failure, which does not fail the run. Null for every other verdict. */
  waiver: waiverSchema.omit({ rule: true }).nullable(),
})

const objectiveVerdict = {
  /** Null: judged over all time together. Otherwise the observation is that of the worst window. */
  windowSeconds: count.nullable(),
  /** Complete windows: judged ones, failed ones among them, and those with too few samples. */
  windows: z.object({ judged: count, failed: count, inconclusive: count }).nullable(),
  verdict: z.enum(['pass', 'fail', 'inconclusive']),
  /** Number of requests, iterations, events or sockets behind the observation. */
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
    kind: z.literal('rate-limited'),
    routeGroup: z.string(),
    rateLimitedRateMax: rate,
    observedRateLimitedRate: observedRate,
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
    /** Lower and upper bound: the clocks of target and generator agree only to some extent. */
    observedLowerBoundMs: latencyMsSchema,
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
  z.object({
    kind: z.literal('recover'),
    quantile: z.number(),
    recoverMsMax: z.number(),
    observedMs: latencyMsSchema,
    ...objectiveVerdict,
  }),
])

const percentiles = z.object({ p50: latencyMsSchema, p95: latencyMsSchema, p99: latencyMsSchema })

/** Latency counts from when a request was due. */
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
  /** From when the request was sent. */
  responseTime: percentiles,
  /** How late the load generator sent the first requests of arriving clients; null: no client arrived. */
  lateness: percentiles.nullable(),
}

export const reportSchema = z.object({
  version: z.literal(1),
  job: z.string(),
  verdict: z.enum(RUN_VERDICTS),
  exitCode,
  rules: z.array(ruleResultSchema),
  /** Findings on rules that this version's catalog does not have; they do not affect the verdict. */
  unknownRules: z.array(z.string()),
  slo: z.object({ name: z.string(), objectives: z.array(objectiveResultSchema) }).nullable(),
  capacity: capacitySchema.nullable(),
  changes: changesSchema,
  /** Only with `--history`. */
  trend: runTrendSchema.optional(),
  /** One entry per limit of the specification; empty if the run selected none. */
  limits: z.array(limitResultSchema),
  /** Null if the feed was not measured. */
  feed: feedFiguresSchema.nullable(),
  /** The bottleneck of the run. `by` is null if nothing shows a limit or its cause. */
  bottleneck: z.object({
    by: z.enum(CAPACITY_LIMITS).nullable(),
    /** The part of the target's own time (Server-Timing) that grew with the load; null if nothing shows one. */
    part: z.string().nullable(),
    /** In sentences. */
    reasons: z.array(z.string()),
  }),
  run: runSchema.omit({
    version: true,
    job: true,
    rules: true,
    customRules: true,
    waivers: true,
    repro: true,
    notes: true,
    slo: true,
    search: true,
  }),
  /** `*` is all route groups together, with dropped iterations as requests of infinite latency. */
  latency: z.object({
    groups: z.array(z.object(latency)),
    routes: z.array(z.object({ ...latency, name: z.string() })),
  }),
  /** The three slowest traced requests of each route, all together slowest first. */
  traces: z.array(
    z.object({
      routeGroup: z.string(),
      name: z.string(),
      /** As in the target's own traces. */
      traceId: z.string(),
      at: z.string(),
      status: z.string(),
      /** Response time. */
      ms: z.number().nonnegative(),
      /** The parts of it that the target named. */
      parts: z.array(z.object({ name: z.string(), ms: z.number().nonnegative() })),
    }),
  ),
  /** Figures of the load generator, including dropped iterations. */
  generator: z.object({
    requests: count,
    failedRequests: count,
    iterations: count,
    droppedIterations: count,
    /** Seconds from the first measured second to the last. */
    measuredSeconds: count,
    /** False if the generator was stopped before it finished its series, or the series is damaged. */
    complete: z.boolean(),
  }),
  /** Notes that qualify the figures. */
  notes: z.array(z.string()),
})

export type Report = z.infer<typeof reportSchema>
export type RuleResult = z.infer<typeof ruleResultSchema>
export type ObjectiveResult = z.infer<typeof objectiveResultSchema>
export type LatencyMs = z.infer<typeof latencyMsSchema>
export type RouteLatency = Report['latency']['routes'][number]

/** Returns the JSON Schema (draft 2020-12) of report.json. */
export function reportJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(reportSchema)
}

export type FeedFigures = z.infer<typeof feedFiguresSchema>
