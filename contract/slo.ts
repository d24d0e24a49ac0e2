/**
 * Service level objectives as data. `routeGroup` names a group of routes (`pools`, `auth`, …); `*` is all of them together.
 */
import { z } from 'zod'

const latencyObjective = z.strictObject({
  routeGroup: z.string().min(1),
  /** Of http_req_duration: between 0 and 1. */
  quantile: z.number().gt(0).lt(1),
  latencyMsMax: z.number().positive(),
})

const errorObjective = z.strictObject({
  routeGroup: z.string().min(1),
  /** The share of requests that got no answer or a 5xx that the scenario did not provoke: between 0 and 1. */
  errorRateMax: z.number().min(0).max(1),
})

export const sloSchema = z.strictObject({
  name: z.string().min(1),
  objectives: z
    .array(
      z.union([latencyObjective, errorObjective], {
        error:
          'expected {routeGroup, quantile: 0 to 1, latencyMsMax: above 0} or {routeGroup, errorRateMax: 0 to 1}',
      }),
    )
    .min(1),
})

export type Slo = z.infer<typeof sloSchema>
export type Objective = Slo['objectives'][number]
