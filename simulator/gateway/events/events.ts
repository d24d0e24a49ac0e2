import type { EventType } from '../../../contract/schemas/feed.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped } from '../../choices/shaped.ts'
import type { BlockUpdate, Views } from '../../indexer/views/views.ts'
import {
  balanceFields,
  candleFields,
  configFields,
  launchFields,
  netChanges,
  statsFields,
  tradeFields,
} from './event-data.ts'
import { type EventFields, eventPaths, type NamedFields } from './event-schemas.ts'
import { roomName } from './room.ts'

export type FeedEvent = { room: string; type: EventType; data: Record<string, unknown> }

export type EventOptions = {
  choices: Pick<Choices, 'wire' | 'profile'>
  views: Pick<Views, 'poolStats'>
  /** Only such rooms get their events; working out the others' would be in vain. */
  isWanted: (room: string) => boolean
}

/**
 * The events of the block that was indexed last, in order; event-schemas.ts says what they tell. The views must not
 * have moved on since.
 */
export function* eventsOf(update: BlockUpdate, options: EventOptions): Generator<FeedEvent> {
  const { choices, views, isWanted } = options
  const { wire } = choices
  const { height, timeMs } = update.block
  const at = { block: height, timestamp: wire.timestamp(timeMs) }

  /** `subject`: the key or the address, as it is spelt, whose room it is; empty where the room takes neither. */
  const make = <Type extends EventType>(
    type: Type,
    subject: string,
    content: () => [NamedFields<Type>, EventFields<Type>],
  ): FeedEvent[] => {
    const room = roomName(type, subject)
    if (!isWanted(room)) return []
    const [named, fields] = content()
    const inData = Object.entries(fields).map(([name, value]) => [`data.${name}`, value])
    const body = shaped<string>(eventPaths(choices.profile), { ...named, ...Object.fromEntries(inData) })
    return [{ room, type, data: body.data as FeedEvent['data'] }] // as: every path leads there
  }

  for (const pool of update.launches) {
    const key = wire.poolKey.encode(pool.key)
    yield* make('PoolLaunch', '', () => [{ id: pool.id, pool: key }, launchFields(pool, wire, at)])
  }
  for (const { id, key: internal } of update.poolStats) {
    const key = wire.poolKey.encode(internal)
    yield* make('PoolStats', key, () => {
      const stats = views.poolStats(internal)
      if (!stats) throw new RangeError(`the pool ${internal} has moved and is not indexed`)
      return [{ id: `${height}-${id}`, pool: key }, statsFields(stats, wire, at)]
    })
  }
  for (const trade of update.trades) {
    const key = wire.poolKey.encode(trade.pool)
    yield* make('Trade', key, () => [{ id: trade.id, pool: key }, tradeFields(trade, wire, at)])
  }
  for (const [index, candle] of update.candles.entries()) {
    const key = wire.poolKey.encode(candle.pool)
    yield* make('Ohlcv', key, () => [{ id: `${height}-${index}`, pool: key }, candleFields(candle, wire, at)])
  }
  for (const [index, change] of netChanges(update.balanceChanges).entries()) {
    const address = wire.address.encode(change.address)
    yield* make('BalanceChange', address, () => [
      { id: `${height}-${index}`, address },
      balanceFields(change, wire, at),
    ])
  }
  const { config } = update
  if (config) {
    const changes = config.changes.map(({ scope, key }) => ({ scope, key }))
    yield* make('ProtocolConfigChanged', '', () => [
      { id: String(config.revision), changes },
      configFields(config, wire),
    ])
  }
}
