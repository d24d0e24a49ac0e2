/**
 * Service level objectives as data (docs/reference/objectives.md). `routeGroup` names a group of routes (`pools`, `auth`, …); `*` means all
 * of them together.
 */
import { z } from 'zod'

const routeGroup = z.string().min(1)
const QUANTILE = 'expected a number between 0 and 1, such as 0.95'
const quantile = z.number(QUANTILE).gt(0, QUANTILE).lt(1, QUANTILE).describe('between 0 and 1')
const ms = z.number().positive()
const share = z.number().min(0).max(1)

/** Default: the objective covers all judged time together. */
const windowSeconds = z
  .int()
  .min(1)
  .max(3600)
  .optional()
  .describe('judged in each whole window of this many seconds; omitted: over the whole measured time')

/** By kind: the field unique to a kind is its limit. */
const OBJECTIVES = {
  latency: z
    .strictObject({ routeGroup, quantile, latencyMsMax: ms, windowSeconds })
    .describe('latency of requests: a dropped iteration counts as a request of infinite latency, in `*`'),
  errors: z
    .strictObject({ routeGroup, errorRateMax: share, windowSeconds })
    .describe('the share of requests that got no response, or a 5xx that the scenario did not provoke'),
  'rate-limited': z
    .strictObject({ routeGroup, rateLimitedRateMax: share, windowSeconds })
    .describe('the share of requests that got a 429'),
  dropped: z
    .strictObject({ droppedRateMax: share, windowSeconds })
    .describe('the share of iterations that the load generator could not start in time'),
  'feed-delay': z
    .strictObject({ quantile, feedDelayMsMax: ms, windowSeconds })
    .describe('from the time that an event bears until a client of the mix hears it'),
  synchronize: z
    .strictObject({ quantile, synchronizeMsMax: ms, windowSeconds })
    .describe(
      'from opening a socket until the response to `synchronize`; a socket that fails counts as infinite',
    ),
  recover: z
    .strictObject({ quantile, recoverMsMax: ms, windowSeconds })
    .describe(
      'from the cut of all sockets (`capacity --recover-within`) until a socket is synchronized again; one that is not counts as infinite',
    ),
} as const

export type ObjectiveKind = keyof typeof OBJECTIVES

const objective = z.union(
  [
    OBJECTIVES.latency,
    OBJECTIVES.errors,
    OBJECTIVES['rate-limited'],
    OBJECTIVES.dropped,
    OBJECTIVES['feed-delay'],
    OBJECTIVES.synchronize,
    OBJECTIVES.recover,
  ],
  { error: 'expected an objective with a limit such as latencyMsMax; docs/slo.md lists all limits' },
)

export const sloSchema = z.strictObject({
  name: z.string().min(1),
  objectives: z.array(objective).min(1),
})

export type Slo = z.infer<typeof sloSchema>
export type Objective = Slo['objectives'][number]

const KIND_BY_LIMIT: readonly (readonly [limit: string, kind: ObjectiveKind])[] = [
  ['latencyMsMax', 'latency'],
  ['errorRateMax', 'errors'],
  ['rateLimitedRateMax', 'rate-limited'],
  ['droppedRateMax', 'dropped'],
  ['feedDelayMsMax', 'feed-delay'],
  ['synchronizeMsMax', 'synchronize'],
  ['recoverMsMax', 'recover'],
]

/** Returns the kind of an objective, by its unique field. Throws a TypeError without one, which the schema rules out. */
export function getObjectiveKind(objective: Objective): ObjectiveKind {
  const found = KIND_BY_LIMIT.find(([limit]) => limit in objective)
  if (found === undefined) throw new TypeError('an objective without a limit')
  return found[1]
}

/** Returns the JSON Schema (draft 2020-12) of a file of objectives. */
export function sloJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(sloSchema, { io: 'input' })
}
