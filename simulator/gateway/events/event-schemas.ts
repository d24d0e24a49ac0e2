/**
 * Fields of events, except those that the target profile names. The specification does not define them; they are enough
 * for a trading page to continue without a read, and equal to a read at the block or revision of the event. Amounts,
 * prices and other exact figures are strings: in base units, or decimals.
 */
import { z } from 'zod'
import { type EventType, findEventPath } from '../../../contract/room-events.ts'
import { exactSchema, revisionOnWireSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { shapedSchema } from '../../choices/wire.ts'
import { CANDLE_INTERVALS } from '../../indexer/candle-interval.ts'

const exact = exactSchema
const known = exactSchema.nullable()

/** The block that the event describes, and its time. */
const at = z.object({ block: z.int(), timestamp: z.string().describe('block time') })

const price = z.object({ sqrt_price_x96: exact, tick: z.int(), liquidity: exact })

const window = z.object({
  start: z.string().describe('start of a whole candle; the window ends with the block'),
  volume0: exact,
  volume1: exact,
  volume_usd: known,
  price_change_pct: known.describe('null without trades'),
})

/** Fields directly in `data`, in addition to the named ones. */
export const EVENT_FIELDS = {
  PoolLaunch: z.object({
    key: z.string(),
    token0: z.string(),
    token1: z.string(),
    token0_name: z.string(),
    token1_name: z.string(),
    token0_symbol: z.string(),
    token1_symbol: z.string(),
    token0_decimals: z.int(),
    token1_decimals: z.int(),
    token0_image: z.string().nullable(),
    token1_image: z.string().nullable(),
    fee: exact.describe('as in the pool record'),
    tick_spacing: z.int(),
    enabled: z.boolean(),
    created_at: z.string(),
    ...price.shape,
    ...at.shape,
  }),
  PoolStats: z.object({
    price: known.describe('token1 per token0, in whole tokens; null without liquidity'),
    price_usd: known.describe('price of the token shown first'),
    tvl_usd: known,
    balance0: exact,
    balance1: exact,
    enabled: z.boolean(),
    windows: z.object({ '1h': window, '1d': window, '1w': window, '1m': window }),
    ...price.shape,
    ...at.shape,
  }),
  Ohlcv: z.object({
    interval: z.enum(CANDLE_INTERVALS).describe('always `1m`: longer candles are built from these'),
    start: z.string(),
    open: exact,
    high: exact,
    low: exact,
    close: exact,
    volume0: exact,
    volume1: exact,
    ...at.shape,
  }),
  Trade: z.object({
    kind: z.enum(['swap', 'mint', 'burn']),
    amount0: exact.describe('what the pool received; negative if it paid'),
    amount1: exact,
    price: exact,
    user: z.string().nullable().describe('trader or owner of the position; null if private'),
    transaction: z.string(),
    ...price.shape,
    ...at.shape,
  }),
  BalanceChange: z.object({
    token: z.string(),
    delta: exact.describe('total of the block'),
    balance: exact,
    ...at.shape,
  }),
  ProtocolConfigChanged: z.object({ revision: revisionOnWireSchema, observed_block: z.int() }),
} as const satisfies Record<EventType, z.ZodObject>

export type EventFields<Type extends EventType> = z.infer<(typeof EVENT_FIELDS)[Type]>

/** Fields that the profile names. `id` is the same for every subscriber, and unique within a type until a reorg. */
const NAMED = {
  PoolLaunch: { id: z.string(), pool: z.string() },
  PoolStats: { id: z.string(), pool: z.string() },
  Ohlcv: { id: z.string(), pool: z.string() },
  Trade: { id: z.string(), pool: z.string() },
  BalanceChange: { id: z.string(), address: z.string() },
  ProtocolConfigChanged: {
    id: z.string(),
    changes: z.array(z.object({ scope: z.string(), key: z.string() })),
  },
} as const satisfies Record<EventType, z.ZodRawShape>

export type NamedFields<Type extends EventType> = {
  [Name in keyof (typeof NAMED)[Type]]: z.infer<(typeof NAMED)[Type][Name]>
}

/** Schema of a whole event, as the choices shape it. */
export function eventSchema(type: EventType, choices: Pick<Choices, 'profile' | 'extraFields'>): z.ZodType {
  const fields: Record<string, z.ZodType> = { type: z.literal(type), ...NAMED[type] }
  for (const name of Object.keys(choices.extraFields)) fields[name] = z.unknown().optional()
  for (const [name, schema] of Object.entries(EVENT_FIELDS[type].shape)) fields[`data.${name}`] = schema
  return shapedSchema<string>(eventPaths(type, choices.profile), fields)
}

/** Paths of the named fields in an event. */
export function eventPaths(
  type: EventType,
  { events, eventTime }: Choices['profile'],
): Readonly<Record<string, string>> {
  const named = Object.entries({ ...events, 'data.timestamp': eventTime.path })
  return Object.fromEntries(named.map(([name, paths]) => [name, findEventPath(paths, type) ?? name]))
}
