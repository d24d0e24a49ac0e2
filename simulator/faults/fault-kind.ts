import { z } from 'zod'
import type { Clock, Timer } from '../clock.ts'
import { logNormal, type RandomStream } from '../random.ts'
import type { Replica } from '../world/replica.ts'
import type { World } from '../world/world.ts'
import type { FaultyFeed, Hooks } from './hooks.ts'

export type FaultTools = {
  clock: Clock
  world: FaultyWorld
  feed: FaultyFeed
  /** A replica that lags this far behind the index. Stop it when done. */
  follow(lagMs: number): Replica
  /**
   * Decides whether a match of its `where` triggers the fault, and records the decision. `on` names the match:
   * the request’s ref, or `socket 7`. `chance` multiplies the probability (default: 1).
   */
  decides(on: string, chance?: number): boolean
  /** Draws a number for the match that has just triggered, in milliseconds, and records it. */
  draw(sample: (stream: RandomStream) => number): number
  /** Runs `begin` when the fault starts. Runs `end` when it ends or the plan is cleared, if `begin` has run. */
  during(options: { begin: () => void; end?: () => void }): void
  after(delayMs: number, fn: () => void): Timer
}

export type FaultyWorld = Pick<
  World,
  'lag' | 'setLag' | 'changeConfig' | 'mine' | 'mining' | 'reorg' | 'views' | 'onBlock'
>

export type FaultKind<Options = never> = {
  name: string
  summary: string
  /** The sentence of the specification that the fault breaks; omitted if a client has to cope with the fault. */
  breaks?: string
  /** Options other than `fault` and `when`: a strict object, with `where` if the fault has one. */
  options: z.ZodObject
  /** True if each trigger draws a number (default: none does). */
  draws?(options: Options): boolean
  /** Returns the hooks of the fault, which are active until the plan is cleared. */
  start(options: Options, tools: FaultTools): Partial<Hooks>
}

/** Infers the type of the options from their schema. */
export function faultKind<Schema extends z.ZodObject>(
  kind: Omit<FaultKind<z.output<Schema>>, 'options'> & { options: Schema },
): FaultKind {
  // as: the engine passes only options parsed by this schema.
  return kind as FaultKind
}

/** The longest delay that is drawn. */
export const DELAY_MAX_MS = 600_000

const delayMsSchema = z.int().min(0).max(DELAY_MAX_MS)

/** A fixed or randomly drawn duration. */
export const latencySchema = z
  .discriminatedUnion('distribution', [
    z.strictObject({ distribution: z.literal('fixed'), ms: delayMsSchema }),
    z
      .strictObject({ distribution: z.literal('uniform'), minMs: delayMsSchema, maxMs: delayMsSchema })
      .refine(({ minMs, maxMs }) => minMs <= maxMs, { path: ['maxMs'], message: 'expected at least minMs' }),
    z.strictObject({
      distribution: z.literal('log-normal'),
      medianMs: delayMsSchema,
      sigma: z
        .number()
        .min(0)
        .max(5)
        .describe('Standard deviation of the logarithm: at 0.5, one in forty takes 2.7 times the median'),
      maxMs: delayMsSchema.default(DELAY_MAX_MS).describe('Upper bound of the drawn values'),
    }),
  ])
  .describe('Added delay')

export type Latency = z.output<typeof latencySchema>

export function drawsLatency({ latency }: { latency: Latency }): boolean {
  return latency.distribution !== 'fixed'
}

export function drawLatencyMs(latency: Latency, draw: FaultTools['draw']): number {
  if (latency.distribution === 'fixed') return latency.ms
  if (latency.distribution === 'uniform') return draw((stream) => stream.int(latency.minMs, latency.maxMs))
  const { medianMs, sigma, maxMs } = latency
  return draw((stream) => Math.min(maxMs, Math.round(logNormal(stream, { median: medianMs, spread: sigma }))))
}
