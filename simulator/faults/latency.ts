import { z } from 'zod'
import { logNormal } from '../normal.ts'
import type { RandomStream } from '../random.ts'

/** Ten minutes: longer than any client waits. */
const DELAY_MAX_MS = 600_000

const delayMsSchema = z.int().min(0).max(DELAY_MAX_MS)

/** How long something takes: always as long, or drawn anew each time. */
export const latencySchema = z
  .discriminatedUnion('distribution', [
    z.strictObject({ distribution: z.literal('fixed'), ms: delayMsSchema }),
    z
      .strictObject({ distribution: z.literal('uniform'), minMs: delayMsSchema, maxMs: delayMsSchema })
      .refine(({ minMs, maxMs }) => minMs <= maxMs, { path: ['maxMs'], message: 'expected at least minMs' }),
    z.strictObject({
      distribution: z.literal('log-normal'),
      medianMs: delayMsSchema,
      spread: z
        .number()
        .min(0)
        .max(5)
        .describe('Standard deviation of the logarithm: with 0.5, one in forty takes 2.7 times the median'),
      maxMs: delayMsSchema.default(DELAY_MAX_MS).describe('What is longer is cut to this'),
    }),
  ])
  .describe('How long')

export type Latency = z.output<typeof latencySchema>

/** Whole milliseconds of the virtual clock. */
export function drawLatencyMs(latency: Latency, stream: RandomStream): number {
  if (latency.distribution === 'fixed') return latency.ms
  if (latency.distribution === 'uniform') return stream.int(latency.minMs, latency.maxMs)
  const { medianMs, spread, maxMs } = latency
  return Math.min(maxMs, Math.round(logNormal(stream, { median: medianMs, spread })))
}
