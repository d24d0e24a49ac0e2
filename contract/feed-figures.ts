import { z } from 'zod'

/** Milliseconds; `infinite` where dropped iterations reach into the quantile; null where too few samples support it. */
export const latencyMsSchema = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()

const count = z.int().nonnegative()

const quantiles = z.object({
  samples: count,
  p50: latencyMsSchema,
  p95: latencyMsSchema,
  p99: latencyMsSchema,
  max: latencyMsSchema,
})

/** What clients saw of the live feed. Null: nothing of the kind was measured. */
export const feedFiguresSchema = z.object({
  /** How long events took, at the least and at the most: clocks of target and generator are known to agree only so far. */
  delay: z.object({ least: quantiles, most: quantiles }).nullable(),
  /** Events whose delay could not be measured, and why. */
  unmeasured: z.array(z.object({ why: z.string(), events: count })),
  /** From opening a socket until synchronize was answered; sockets that never were count as infinite. */
  synchronize: quantiles.nullable(),
  /** By how they fared; mute: synchronize was never answered; refused: no ticket, or no socket. */
  sockets: z.object({ served: count, mute: count, refused: count }).nullable(),
  /** All sockets that were opened, those of probes included, and the time until each was open. */
  connects: quantiles.nullable(),
  messages: z.object({ received: count, sent: count }).nullable(),
})

export type FeedFigures = z.infer<typeof feedFiguresSchema>
