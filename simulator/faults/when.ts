import { z } from 'zod'
import type { RandomStream } from '../random.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** When a fault acts: which of the cases that fit its `where`, and in which span of time. */
export const whenSchema = z
  .strictObject({
    afterMs: z.int().min(0).max(DAY_MS).default(0).describe('It begins so long after the plan is applied'),
    forMs: z
      .int()
      .min(1)
      .max(DAY_MS)
      .optional()
      .describe('It ends so long after it began; else with the plan'),
    every: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1)
      .describe('It acts on every n-th case alone: 10 means the tenth, the twentieth and so on'),
    times: z.int().min(1).max(1_000_000).optional().describe('It acts so many times at most'),
    probability: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe('The chance that it acts on such a case, above 0 and up to 1'),
  })
  .prefault({})

export type When = z.output<typeof whenSchema>

export type Decider = {
  /** Whether the fault acts on this case. Each call within the fault’s time is a decision, numbered from 1. */
  decide(): boolean
  decisions(): number
  acted(): number
}

/**
 * Every decision comes from the fault's own stream, one draw each where chance has a say: the same cases in the same order
 * give the same decisions.
 */
export function createDecider(options: {
  when: When
  isOn: () => boolean
  stream: RandomStream
  /** Told of each decision. */
  decided: (decision: { number: number; acts: boolean }) => void
}): Decider {
  const { when, isOn, stream, decided } = options
  let number = 0
  let acted = 0

  return {
    decide() {
      if (!isOn()) return false
      number++
      const isDrawn = when.probability === 1 || stream.float() < when.probability
      const acts = number % when.every === 0 && isDrawn && acted < (when.times ?? Number.POSITIVE_INFINITY)
      if (acts) acted++
      decided({ number, acts })
      return acts
    },
    decisions: () => number,
    acted: () => acted,
  }
}
