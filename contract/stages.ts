/**
 * A load profile as data (docs/guides/find-the-capacity.md): stages in sequence, each ramping from the previous rate to its own. Rates are
 * iterations per second of all clients of the mix.
 */
import { z } from 'zod'

const rate = z.number().min(0.01).max(1_000_000)

const stage = z.strictObject({
  /** At least 2, because only whole seconds of the clock are judged. */
  seconds: z.number().min(2).max(86_400),
  /** At the end of the stage. A stage that ends at its initial rate holds it. */
  rate,
})

export const stagesSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  description: z.string().min(1),
  /** Initial rate of the first stage (default: that stage's own rate). */
  rateFrom: rate.optional(),
  stages: z.array(stage).min(1).max(1000),
})

export type StagesProfile = z.infer<typeof stagesSchema>

/** Returns the JSON Schema (draft 2020-12) of a stages file. */
export function stagesJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(stagesSchema, { io: 'input' })
}
