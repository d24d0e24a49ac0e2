import { z } from 'zod'

/** Milliseconds; `infinite` where dropped iterations reach into the quantile; null where too few samples support it. */
export const latencyMsSchema = z.union([z.number().nonnegative(), z.literal('infinite')]).nullable()
