import { z } from 'zod'
import { revisionOnWireSchema } from './wire.ts'

/** Room names and the event type of each. A name that ends in `:` takes a pool key or an address. */
export const ROOM_EVENTS = {
  pool_launches: 'PoolLaunch',
  'pool_stats:': 'PoolStats',
  'ohlcv:': 'Ohlcv',
  'trades:': 'Trade',
  'balances:': 'BalanceChange',
  protocol_config: 'ProtocolConfigChanged',
} as const

export type EventType = (typeof ROOM_EVENTS)[keyof typeof ROOM_EVENTS]

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
