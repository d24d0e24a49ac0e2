/**
 * A search for capacity: what each trial was (`trials.ndjson`), what came of it, and what follows. A load is in iterations
 * a second: arrivals of clients of the mix, all kinds together.
 */
import { z } from 'zod'

const rate = z.number().positive()
const count = z.int().nonnegative()
const share = z.number().min(0)

const TRIAL_PHASES = ['warm-up', 'search', 'confirmation', 'stage'] as const

/** What ended a trial: its own end, an objective that it could not meet any more, the user, a budget, or k6 breaking down. */
const TRIAL_ENDS = ['whole', 'hopeless', 'interrupted', 'budget', 'broken'] as const

/**
 * What the machine that makes the load did during the judged part of a trial, over all k6 processes. Null: not to be had
 * here.
 */
export const generatorHealthSchema = z.object({
  /** Cores kept busy by k6, on average, and those it may use. */
  cpuCores: z.number().nullable(),
  cpuCoresMax: z.number(),
  /** Of the whole machine: the share of time that its cores were busy. */
  machineBusy: share.nullable(),
  /** Cores that k6 could have used more, on average: the time that its threads stood in the run queue, a second. */
  runQueueCores: z.number().nullable(),
  /** Of the periods in which they had work, those in which a container came to its limit of cores, and stood still. */
  throttledShare: share.nullable().default(null),
  openFilesMax: count.nullable(),
  openFilesLimit: count.nullable(),
  /** TCP sockets of k6, those of the machine in TIME_WAIT included, and the ephemeral ports there are. */
  portsUsedMax: count.nullable(),
  portsMax: count.nullable(),
  residentMbMax: z.number().nullable(),
})

/** What the target's own /metrics told over the judged part of a trial; null: it did not tell. */
export const targetHealthSchema = z.object({
  /** Cores kept busy by its process. */
  cpuCores: z.number().nullable(),
  /** The 0.99 quantile of how late its event loop ran, in milliseconds. */
  eventLoopLagMs: z.number().nullable(),
  /** Requests that waited to be served, at the most. */
  queueMax: z.number().nullable(),
})

/** A line of trials.ndjson, written as the trial ends. Its samples bear the tag `trial` with this number. */
export const trialFactsSchema = z.object({
  trial: z.int().positive(),
  phase: z.enum(TRIAL_PHASES),
  /** Offered. Of a stage that ramps, `rateFrom` is where it begins and `rate` where it ends. */
  rate,
  rateFrom: rate.nullable(),
  /** At the start, not judged. */
  warmUpSeconds: z.number().nonnegative(),
  /** Judged, as planned. */
  seconds: z.number().positive(),
  /** Unix seconds of the judged part: from, and up to but not including. Null: it never began. */
  judgedFrom: count.nullable(),
  judgedTo: count.nullable(),
  ended: z.enum(TRIAL_ENDS),
  /** Why it ended, where it was not by itself. */
  reason: z.string().nullable(),
  instances: z.int().positive(),
  /** VUs there were for it: a client that no VU is free for is dropped. */
  vusMax: count,
  generator: generatorHealthSchema,
  target: targetHealthSchema.nullable(),
})

/** met, missed: the objectives; generator: the load generator gave out first; unjudged: nothing can be said. */
const TRIAL_OUTCOMES = ['met', 'missed', 'generator', 'unjudged'] as const

const latencyMs = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()

/** What came of a trial, over its judged part. */
export const trialResultSchema = trialFactsSchema
  .pick({
    trial: true,
    phase: true,
    rate: true,
    rateFrom: true,
    warmUpSeconds: true,
    ended: true,
    instances: true,
    vusMax: true,
    generator: true,
    target: true,
  })
  .extend({
    /** Judged, and as planned. */
    seconds: count,
    secondsPlanned: z.number().positive(),
    outcome: z.enum(TRIAL_OUTCOMES),
    /** Why, in a sentence without its full stop. */
    because: z.string(),
    /** Iterations that ended, a second. */
    throughput: z.number().nonnegative(),
    requestsPerSecond: z.number().nonnegative(),
    requests: count,
    dropped: count,
    /** Of requests. */
    meanMs: z.number().nonnegative().nullable(),
    p50Ms: latencyMs,
    p95Ms: latencyMs,
    p99Ms: latencyMs,
    /** Of requests: no answer or a 5xx. */
    errorRate: share.nullable(),
    refused: count,
    /** Requests under way at a time, on average (Little's law). */
    concurrency: z.number().nonnegative().nullable(),
    /** The 0.99 quantile of how late k6 woke a VU that slept, in milliseconds. */
    generatorLagMs: z.number().nonnegative().nullable(),
  })

/** A load, by all of its trials: at or below capacity, above it, or neither shown. */
export const loadSchema = z.object({
  rate,
  standing: z.enum(['lower', 'upper', 'undecided', 'generator']),
  trials: z.array(z.int().positive()),
})

/** When a load is decided, and when a search is done (docs/capacity.md). */
export const searchGoalSchema = z.object({
  /** Found where the bounds are this close, relative to the upper one. */
  relativeWidth: z.number(),
  /** A trial that is meant to be judged for so long counts in full; a shorter one counts less. */
  trialSeconds: z.number(),
  /** Of judged time that a load needs to be decided. */
  finalSeconds: z.number(),
  /** No load above is tried; null: there is no such bound. */
  rateMax: z.number().nullable(),
})

/** The Universal Scalability Law (Gunther 1993): throughput X(N) = λN / (1 + σ(N-1) + κN(N-1)) of N requests at once. */
export const scalabilitySchema = z.object({
  /** λ: requests a second that one at a time would get; σ: contention; κ: coherency. With standard errors. */
  lambda: z.number(),
  sigma: z.number(),
  kappa: z.number(),
  standardErrors: z.object({ lambda: z.number(), sigma: z.number(), kappa: z.number() }),
  /** The root of the mean square of the relative error of throughput over the points. */
  relativeError: z.number(),
  /** Where throughput is greatest by the fit: N, and requests a second; null where κ is 0: it has no peak. */
  peak: z.object({ concurrency: z.number(), requestsPerSecond: z.number() }).nullable(),
  points: z.array(z.object({ concurrency: z.number(), requestsPerSecond: z.number(), trial: z.int() })),
})

/**
 * What limited a search. `slo`: an objective broke, and nothing tells what in the target; `target`: an objective broke as the
 * target's own metrics show it at its limit; `generator`: the load generator gave out first; `budget`, `interrupted`: the
 * search was not done; `range`: the highest rate asked for still met the objectives.
 */
export const CAPACITY_LIMITS = ['slo', 'target', 'generator', 'budget', 'interrupted', 'range'] as const

export const capacitySchema = z.object({
  /** The highest rate that was shown to meet the objectives, and to be the highest: iterations a second. Null: not found. */
  rate: rate.nullable(),
  /** Requests a second at that rate. */
  requestsPerSecond: z.number().nullable(),
  limitedBy: z.enum(CAPACITY_LIMITS).nullable(),
  /** Whether the run at that rate held once more. */
  confirmed: z.boolean(),
  /** The highest rate that met the objectives, and the lowest that missed them. */
  atLeast: rate.nullable(),
  brokeAt: rate.nullable(),
  /** For people, in a sentence: `400 iterations a second …`, `generator-limited, at least 300 …`. */
  statement: z.string(),
  mix: z.string(),
  loads: z.array(loadSchema),
  trials: z.array(trialResultSchema),
  scalability: scalabilitySchema.nullable(),
  /** Why there is no fit. */
  scalabilityReason: z.string().nullable(),
  budget: z.object({
    secondsMax: z.number(),
    secondsUsed: z.number(),
    requestsMax: count.nullable(),
    requestsUsed: count,
  }),
})

export type GeneratorHealth = z.infer<typeof generatorHealthSchema>
export type TargetHealth = z.infer<typeof targetHealthSchema>
export type TrialFacts = z.infer<typeof trialFactsSchema>
export type TrialResult = z.infer<typeof trialResultSchema>
export type TrialOutcome = TrialResult['outcome']
export type SearchGoal = z.infer<typeof searchGoalSchema>
export type Load = z.infer<typeof loadSchema>
export type Scalability = z.infer<typeof scalabilitySchema>
export type Capacity = z.infer<typeof capacitySchema>
