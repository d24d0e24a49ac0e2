import { z } from 'zod'
import { revisionOnWireSchema } from './wire.ts'

export const clientFrameSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('authenticate'), token: z.string() }),
  z.object({ action: z.literal('subscribe'), room: z.string() }),
  z.object({ action: z.literal('unsubscribe'), room: z.string() }),
  z.object({ action: z.literal('synchronize') }),
])

export type ClientFrame = z.infer<typeof clientFrameSchema>

export const eventSchema = z.object({ type: z.string(), data: z.looseObject({}) })
export const controlSchema = z.object({ control: z.string() })

/** `revision` is a number or digits; the names inside `changes` are the specification's `scope` and `key`. */
export const configChangedSchema = z.object({
  type: z.literal('ProtocolConfigChanged'),
  data: z.looseObject({
    revision: revisionOnWireSchema,
    observed_block: revisionOnWireSchema,
  }),
})
