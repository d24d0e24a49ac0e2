import { z } from 'zod'

/** Milliseconds; `infinite` if dropped iterations reach into the percentile; null if there are too few samples for it. */
export const latencyMsSchema = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()

const count = z.int().nonnegative()

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

export type FeedFigures = z.infer<typeof feedFiguresSchema>
