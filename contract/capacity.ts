/**
 * A capacity search: each trial (`trials.ndjson`), its outcome, and the conclusion. Loads are in iterations per second: arrivals
 * of all clients of the mix.
 */
import { z } from 'zod'
import { AXES } from './scenario-config.ts'

const rate = z.number().positive()
const count = z.int().nonnegative()
const share = z.number().min(0)

export type Axis = (typeof AXES)[number]

/** Units of a load on each axis. No load generator can make an exchange emit more events, so more sockets hear them. */
const AXIS_UNITS = {
  rate: 'iterations/s',
  sockets: 'sockets',
  subscriptions: 'subscriptions',
  'slow-readers': 'slow readers',
  events: 'sockets',
} as const satisfies Record<Axis, string>

/** `undefined`: a run from before there were axes. */
export function getAxisUnit(axis: Axis | undefined): string {
  return AXIS_UNITS[axis ?? 'rate']
}

/** The unit in figures: `/s`, or `sockets`. */
export function getAxisSymbol(axis: Axis | undefined) {
  return axis === undefined || axis === 'rate' ? '/s' : AXIS_UNITS[axis]
}

/** The same as it follows the number. */
export function getAxisSuffix(axis: Axis | undefined): string {
  const symbol = getAxisSymbol(axis)
  return symbol === '/s' ? symbol : ` ${symbol}`
}

/** True if a load is sockets that are held open, instead of clients that arrive. `undefined`: as for `getAxisUnit`. */
export function isOfSockets(axis: Axis | undefined): boolean {
  return axis !== undefined && axis !== 'rate'
}

/** The load in sentences about a search: `the lowest rate`. */
export function getLoadNoun(axis: Axis | undefined): string {
  return isOfSockets(axis) ? `number of ${getAxisUnit(axis)}` : 'rate'
}

const TRIAL_PHASES = ['warm-up', 'search', 'confirmation', 'stage'] as const

/** The end of a trial: completed, an objective that it could no longer meet, the user, a budget, or a crash of k6. */
const TRIAL_ENDS = ['completed', 'aborted', 'interrupted', 'budget', 'crashed'] as const

/** Figures of the load-generating machine during the judged part of a trial, over all k6 processes. Null: not available. */
export const generatorHealthSchema = z.object({
  /** Average number of cores that k6 kept busy, and the number available to it. */
  cpuCores: z.number().nullable(),
  cpuCoresMax: z.number(),
  /** Share of time that the cores of the whole machine were busy. */
  machineBusy: share.nullable(),
  /** Average number of additional cores that k6 could have used: run queue time of its threads per second. */
  runQueueCores: z.number().nullable(),
  /** Share of the periods with work in which a container reached its CPU limit and was throttled. */
  throttledShare: share.nullable().default(null),
  openFilesMax: count.nullable(),
  openFilesLimit: count.nullable(),
  /** TCP sockets of k6, including those of the machine in TIME_WAIT, and the number of ephemeral ports. */
  portsUsedMax: count.nullable(),
  portsMax: count.nullable(),
  residentMbMax: z.number().nullable(),
})

/** The target's own /metrics over the judged part of a trial; null: not provided. */
export const targetHealthSchema = z.object({
  /** Cores kept busy by its process. */
  cpuCores: z.number().nullable(),
  /** p99 of its event loop delay, in milliseconds. */
  eventLoopLagMs: z.number().nullable(),
  /** Maximum number of queued requests. */
  queueMax: z.number().nullable(),
})

const MEMORY_KINDS = ['resident', 'heap'] as const

/** Memory of the target's process around the opening of sockets: resident, or its heap if the metrics show no more. */
const targetMemorySchema = z.object({
  kind: z.enum(MEMORY_KINDS),
  /** Medians before the first socket opened, and once all were due. */
  beforeBytes: count,
  afterBytes: count,
  /** Sockets that were due. */
  sockets: count,
})

/** A line of trials.ndjson, written as the trial ends. Its samples have the tag `trial` with this number. */
export const trialFactsSchema = z.object({
  trial: z.int().positive(),
  phase: z.enum(TRIAL_PHASES),
  /** The unit of `rate`. Omitted: iterations per second. */
  axis: z.enum(AXES).optional(),
  /** Offered rate. For a stage that ramps, `rateFrom` is the initial rate and `rate` the final one. */
  rate,
  rateFrom: rate.nullable(),
  /** All sockets are cut at once; the time in which they should be synchronized again. Omitted: they are held. */
  recoverWithinSeconds: z.number().positive().optional(),
  /** Warm-up at the start, not judged. */
  warmUpSeconds: z.number().nonnegative(),
  /** Planned judged seconds. */
  seconds: z.number().positive(),
  /** Unix seconds of the judged part: start, and exclusive end. Null: it never began. */
  judgedFrom: count.nullable(),
  judgedTo: count.nullable(),
  ended: z.enum(TRIAL_ENDS),
  /** The reason for an early end. */
  reason: z.string().nullable(),
  /** A series of its load was incomplete or damaged. */
  samplesMissing: z.literal(true).optional(),
  instances: z.int().positive(),
  /** Available VUs; a client without a free VU is dropped. */
  vusMax: count,
  generator: generatorHealthSchema,
  /** Runners with their own limits, in order, each judged by its own figures; `generator` then combines them. */
  runners: z.array(generatorHealthSchema).optional(),
  target: targetHealthSchema.nullable(),
  /** Only for sockets, if the target's metrics show it. */
  memory: targetMemorySchema.optional(),
})

/** By the objectives, except generator-limited: the load generator saturated first. */
const TRIAL_OUTCOMES = ['pass', 'fail', 'generator-limited', 'inconclusive'] as const

const latencyMs = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()

/** Feed figures of a trial with a number of sockets. Percentiles in milliseconds; null: too few samples. */
const socketFiguresSchema = z.object({
  /** Sockets that were served at least once, and attempts that failed. */
  served: count,
  failed: count,
  /** Until a socket opened, and until it was synchronized. */
  handshakeP90Ms: latencyMs,
  synchronizeP90Ms: latencyMs,
  messagesPerSecond: z.number().nonnegative(),
  /** Events that reached sockets, and the upper bound of their delay. */
  eventsPerSecond: z.number().nonnegative(),
  feedDelayP95Ms: latencyMs,
  /** Controls `resync_required`: events were lost. */
  resyncs: count,
  /** After a cut of all sockets: the share that is synchronized again by this time. */
  recovery: z.array(z.object({ share, ms: z.number() })).optional(),
})

/** The result of a trial over its judged part. */
export const trialResultSchema = trialFactsSchema
  .pick({
    trial: true,
    phase: true,
    axis: true,
    rate: true,
    rateFrom: true,
    recoverWithinSeconds: true,
    warmUpSeconds: true,
    ended: true,
    instances: true,
    vusMax: true,
    generator: true,
    target: true,
    memory: true,
  })
  .extend({
    /** Judged and planned seconds. */
    seconds: count,
    secondsPlanned: z.number().positive(),
    outcome: z.enum(TRIAL_OUTCOMES),
    /** Only if inconclusive: an objective of requests passed, and another one could not be judged. */
    partlyJudged: z.literal(true).optional(),
    /** The reason, as a sentence without its period. */
    reason: z.string(),
    /**
     * Completed iterations per second; for sockets, the average number that was served once all were due; for slow readers, their
     * number times the share of normal sockets that was served.
     */
    throughput: z.number().nonnegative(),
    /** Iterations that were due per second. Omitted: sockets, or k6 did not count them. */
    duePerSecond: z.number().nonnegative().optional(),
    requestsPerSecond: z.number().nonnegative(),
    requests: count,
    dropped: count,
    /** Request latency. */
    meanMs: z.number().nonnegative().nullable(),
    p50Ms: latencyMs,
    p95Ms: latencyMs,
    p99Ms: latencyMs,
    /** Share of requests without a response or with a 5xx. */
    errorRate: share.nullable(),
    rateLimited: count,
    /** Average concurrency of requests (Little's law). */
    concurrency: z.number().nonnegative().nullable(),
    /** p99 of how late k6 woke a sleeping VU, in milliseconds. */
    generatorLagMs: z.number().nonnegative().nullable(),
    /** Only for sockets. */
    sockets: socketFiguresSchema.optional(),
  })

/** The result of a load after all of its trials: a lower bound of the capacity, an upper one, or undecided. */
export const loadSchema = z.object({
  rate,
  bound: z.enum(['lower', 'upper', 'undecided', 'generator-limited']),
  trials: z.array(z.int().positive()),
})

/** When a load is decided, and when a search is done (docs/guides/find-the-capacity.md). */
export const searchGoalSchema = z.object({
  /** The search ends when the bounds are this close, relative to the upper one. */
  relativeWidth: z.number(),
  /** A trial planned for this many judged seconds counts in full; a shorter one counts less. */
  trialSeconds: z.number(),
  /** Judged time that decides a load. */
  finalSeconds: z.number(),
  /** The highest load to try; null: no maximum. */
  rateMax: z.number().nullable(),
})

/** The Universal Scalability Law (Gunther 1993): throughput X(N) = λN / (1 + σ(N-1) + κN(N-1)) of N concurrent requests. */
export const scalabilitySchema = z.object({
  /** λ: requests per second with a concurrency of one; σ: contention; κ: coherency. With standard errors. */
  lambda: z.number(),
  sigma: z.number(),
  kappa: z.number(),
  standardErrors: z.object({ lambda: z.number(), sigma: z.number(), kappa: z.number() }),
  /** Root mean square relative error of throughput over the points. */
  relativeError: z.number(),
  /** Peak throughput by the fit: N, and requests per second; null if κ is 0, which means no peak. */
  peak: z.object({ concurrency: z.number(), requestsPerSecond: z.number() }).nullable(),
  points: z.array(z.object({ concurrency: z.number(), requestsPerSecond: z.number(), trial: z.int() })),
})

/** Fitted to the first trials that had more sockets than all before them. */
const memoryPerSocketSchema = z.object({
  kind: z.enum(MEMORY_KINDS),
  bytes: z.number().positive(),
  standardError: z.number().nonnegative(),
  trials: z.array(z.int().positive()),
  socketsMax: count,
})

/**
 * The limit of a search. `slo`: an objective failed for an unknown reason; `target`: an objective failed and the target's own
 * metrics show saturation; `generator`: the load generator saturated first; `budget`, `interrupted`: the search did not finish;
 * `range`: the highest requested rate still met the objectives.
 */
export const CAPACITY_LIMITS = ['slo', 'target', 'generator', 'budget', 'interrupted', 'range'] as const

export const capacitySchema = z.object({
  /** The unit of rates. Omitted: iterations per second. */
  axis: z.enum(AXES).optional(),
  /** The highest rate proven to meet the objectives, in iterations per second. Null: not found. */
  rate: rate.nullable(),
  /** Requests per second at that rate. */
  requestsPerSecond: z.number().nullable(),
  /** Events per second that reached sockets at that rate. Only for the axes `events` and `subscriptions`. */
  eventsPerSecond: z.number().nullable().optional(),
  /** Events per second that reached sockets in the trials that failed: the limit of the feed. Null: no trial failed. */
  overloadEventsPerSecond: z.number().nullable().optional(),
  limitedBy: z.enum(CAPACITY_LIMITS).nullable(),
  /** True if the confirming run at that rate passed too. */
  confirmed: z.boolean(),
  /** The highest rate that met the objectives, and the lowest that missed them or that the generator could not produce. */
  highestPassingRate: rate.nullable(),
  lowestFailingRate: rate.nullable(),
  /** A sentence for readers: `400 iterations a second …`, `generator-limited, at least 300 …`. */
  statement: z.string(),
  mix: z.string(),
  loads: z.array(loadSchema),
  trials: z.array(trialResultSchema),
  scalability: scalabilitySchema.nullable(),
  /** The reason if there is no fit. */
  scalabilityReason: z.string().nullable(),
  /** Only for sockets: the memory of the target's process by socket. Null: not known, for this reason. */
  memoryPerSocket: memoryPerSocketSchema.nullable().optional(),
  memoryReason: z.string().nullable().optional(),
  budget: z.object({
    secondsMax: z.number(),
    secondsUsed: z.number(),
    requestsMax: count.nullable(),
    requestsUsed: count,
  }),
})

export type GeneratorHealth = z.infer<typeof generatorHealthSchema>
export type TargetHealth = z.infer<typeof targetHealthSchema>
export type TargetMemory = z.infer<typeof targetMemorySchema>
export type MemoryPerSocket = z.infer<typeof memoryPerSocketSchema>
export type TrialFacts = z.infer<typeof trialFactsSchema>
export type TrialResult = z.infer<typeof trialResultSchema>
export type TrialOutcome = TrialResult['outcome']
export type SearchGoal = z.infer<typeof searchGoalSchema>
export type Load = z.infer<typeof loadSchema>
export type Scalability = z.infer<typeof scalabilitySchema>
export type Capacity = z.infer<typeof capacitySchema>
