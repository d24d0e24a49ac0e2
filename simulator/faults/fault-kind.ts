import { z } from 'zod'
import type { Clock, Timer } from '../clock.ts'
import { logNormal, type RandomStream } from '../random.ts'
import type { Replica } from '../world/replica.ts'
import type { World } from '../world/world.ts'
import type { FaultyFeed, Seams } from './seams.ts'

/** What a fault may do beside what it does at its seams. */
export type FaultTools = {
  /** Its own: nothing else draws from it. */
  stream: RandomStream
  clock: Clock
  world: FaultyWorld
  feed: FaultyFeed
  /** A replica of the index that is so far behind; to be stopped at the end. */
  follow(lagMs: number): Replica
  /**
   * Whether it acts on this case, one that fits its `where`; journaled. `on` says what it is: the request’s ref, or
   * `socket 7`.
   */
  decides(on: string): boolean
  /** Runs `begin` when the fault’s time begins, and `end` when it ends or the plan is cleared, if it had begun. */
  during(options: { begin: () => void; end?: () => void }): void
  /** A timer that is gone with the plan. */
  after(delayMs: number, fn: () => void): Timer
}

export type FaultyWorld = Pick<
  World,
  'lag' | 'setLag' | 'changeConfig' | 'mine' | 'mining' | 'reorg' | 'views' | 'onBlock'
>

export type FaultKind<Options = never> = {
  /** In plans: kebab case. */
  name: string
  /** What it does, in a whole sentence, for the reference. */
  summary: string
  /** What of the specification it breaks; left out where it breaks nothing, so that a client may be expected to cope. */
  breaks?: string
  /** What stands beside `fault` and `when`: a strict object, `where` included if it has one. */
  options: z.ZodObject
  /** What it does at which seams, from here until the plan is cleared. */
  start(options: Options, tools: FaultTools): Partial<Seams>
}

/** Ties what a kind of fault does to the schema of its options. */
export function faultKind<Schema extends z.ZodObject>(
  kind: Omit<FaultKind<z.output<Schema>>, 'options'> & { options: Schema },
): FaultKind {
  // as: the engine starts it only with what its own schema gave.
  return kind as FaultKind
}

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
