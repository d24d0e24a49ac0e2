/**
 * A profile of load: stretches one after another, each from the rate before it to its own, as data (docs/capacity.md). Rates
 * are iterations a second, all clients of the mix together.
 */
import { z } from 'zod'

const rate = z.number().min(0.01).max(1_000_000)

const stage = z.strictObject({
  /** At least 2: what is judged are whole seconds of the clock. */
  seconds: z.number().min(2).max(86_400),
  /** At its end. A stage that ends at the rate at which it began holds that. */
  rate,
})

export const stagesSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  description: z.string().min(1),
  /** At which the first stage begins; left out: at its own rate. */
  rateFrom: rate.optional(),
  stages: z.array(stage).min(1).max(1000),
})

export type StagesProfile = z.infer<typeof stagesSchema>

/** The JSON Schema (draft 2020-12) of a profile of stages. */
export function stagesJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(stagesSchema, { io: 'input' })
}
