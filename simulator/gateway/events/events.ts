import { type EventType, ROOM_EVENTS } from '../../../contract/room-events.ts'
import { encodeChangeKey } from '../../choices/change-key.ts'
import type { Choices } from '../../choices/choices.ts'
import { shaped } from '../../choices/wire.ts'
import type {
  MetricWindow,
  PoolStatsView,
  PoolView,
  TokenView,
  WindowStatsView,
} from '../../indexer/views/market-views.ts'
import type { BalanceChangeView, CandleView, TradeView } from '../../indexer/views/trade-views.ts'
import type { BlockUpdate, ConfigChangeView, Views } from '../../indexer/views/views.ts'
import { type EventFields, eventPaths, type NamedFields } from './event-schemas.ts'

export type FeedEvent = { room: string; type: EventType; data: Record<string, unknown> }

export type EventOptions = {
  choices: Pick<Choices, 'wire' | 'profile'>
  views: Pick<Views, 'poolStats'>
  /** Skips the events of other rooms, which would be computed for no one. */
  isWanted: (room: string) => boolean
}

/** The events of the last indexed block, in order. Consume them before the views change. */
export function* generateEvents(update: BlockUpdate, options: EventOptions): Generator<FeedEvent> {
  const { choices, views, isWanted } = options
  const { wire } = choices
  const { height, timeMs } = update.block
  const at = { block: height, timestamp: wire.timestamp(timeMs) }

  /** `subject`: key or address of the room, as spelled by the choices; empty if the room has neither. */
  const make = <Type extends EventType>(
    type: Type,
    subject: string,
    content: () => [NamedFields<Type>, EventFields<Type>],
  ): FeedEvent[] => {
    const room = roomName(type, subject)
    if (!isWanted(room)) return []
    const [named, fields] = content()
    const inData = Object.entries(fields).map(([name, value]) => [`data.${name}`, value])
    const body = shaped<string>(eventPaths(type, choices.profile), {
      ...named,
      ...Object.fromEntries(inData),
    })
    return [{ room, type, data: body.data as FeedEvent['data'] }] // as: every path sets it
  }

  for (const pool of update.launches) {
    const key = wire.poolKey.encode(pool.key)
    yield* make('PoolLaunch', '', () => [{ id: pool.id, pool: key }, launchFields(pool, wire, at)])
  }
  for (const { id, key: internal } of update.poolStats) {
    const key = wire.poolKey.encode(internal)
    yield* make('PoolStats', key, () => {
      const stats = views.poolStats(internal)
      if (!stats) throw new RangeError(`the pool ${internal} has changed but is not indexed`)
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
    const changes = config.changes.map((change) => ({
      scope: change.scope,
      key: encodeChangeKey(change, wire),
    }))
    yield* make('ProtocolConfigChanged', '', () => [
      { id: String(config.revision), changes },
      configFields(config, wire),
    ])
  }
}

type Wire = Choices['wire']
type At = { block: number; timestamp: string }

function launchFields(pool: PoolView, wire: Wire, at: At): EventFields<'PoolLaunch'> {
  return {
    key: wire.poolKey.encode(pool.key),
    token0: wire.tokenId.encode(pool.token0.id),
    token1: wire.tokenId.encode(pool.token1.id),
    ...tokenFields('token0', pool.token0),
    ...tokenFields('token1', pool.token1),
    fee: wire.fee(pool.feePips),
    tick_spacing: pool.tickSpacing,
    enabled: pool.enabled,
    created_at: wire.timestamp(pool.createdAtMs),
    ...priceFields(pool),
    ...at,
  }
}

function statsFields(stats: PoolStatsView, wire: Wire, at: At): EventFields<'PoolStats'> {
  const { pool, windows } = stats
  const shown = (window: MetricWindow) => windowFields(windows[window], wire)
  return {
    price: stats.price,
    price_usd: stats.priceUsd,
    tvl_usd: stats.tvlUsd,
    balance0: String(pool.balance0),
    balance1: String(pool.balance1),
    enabled: pool.enabled,
    windows: { '1h': shown('1h'), '1d': shown('1d'), '1w': shown('1w'), '1m': shown('1m') },
    ...priceFields(pool),
    ...at,
  }
}

/** The candle that the block opened or updated. */
function candleFields(candle: CandleView, wire: Wire, at: At): EventFields<'Ohlcv'> {
  return {
    interval: candle.interval,
    start: wire.timestamp(candle.startMs),
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    volume0: String(candle.volume0),
    volume1: String(candle.volume1),
    ...at,
  }
}

function tradeFields(trade: TradeView, wire: Wire, at: At): EventFields<'Trade'> {
  return {
    kind: trade.kind,
    amount0: String(trade.amount0),
    amount1: String(trade.amount1),
    price: trade.price,
    user: trade.user === null ? null : wire.address.encode(trade.user),
    transaction: trade.transaction,
    ...priceFields(trade),
    ...at,
  }
}

function balanceFields(change: BalanceChangeView, wire: Wire, at: At): EventFields<'BalanceChange'> {
  return {
    token: wire.tokenId.encode(change.token.id),
    delta: String(change.delta),
    balance: String(change.balance),
    ...at,
  }
}

function configFields(config: ConfigChangeView, wire: Wire): EventFields<'ProtocolConfigChanged'> {
  return { revision: wire.revision(config.revision), observed_block: config.observedBlock }
}

/** Sums the changes of each balance in a block, since a read at that block shows no steps between. */
function netChanges(changes: readonly BalanceChangeView[]): BalanceChangeView[] {
  const net = new Map<string, BalanceChangeView>()
  for (const change of changes) {
    const key = `${change.address} ${change.token.id}`
    const before = net.get(key)
    net.set(key, { ...change, delta: (before?.delta ?? 0n) + change.delta })
  }
  return [...net.values()].filter(({ delta }) => delta !== 0n)
}

function tokenFields<Name extends 'token0' | 'token1'>(name: Name, token: TokenView) {
  return {
    [`${name}_name`]: token.name,
    [`${name}_symbol`]: token.symbol,
    [`${name}_decimals`]: token.decimals,
    [`${name}_image`]: token.image,
  } as TokenFields<Name> // as: names are built from the prefix
}

type TokenFields<Name extends string> = Record<`${Name}_name` | `${Name}_symbol`, string> &
  Record<`${Name}_decimals`, number> &
  Record<`${Name}_image`, string | null>

function priceFields({
  sqrtPriceX96,
  tick,
  liquidity,
}: Pick<PoolView, 'sqrtPriceX96' | 'tick' | 'liquidity'>) {
  return { sqrt_price_x96: String(sqrtPriceX96), tick, liquidity: String(liquidity) }
}

function windowFields(window: WindowStatsView, wire: Wire) {
  return {
    start: wire.timestamp(window.startMs),
    volume0: String(window.volume0),
    volume1: String(window.volume1),
    volume_usd: window.volumeUsd,
    price_change_pct: window.priceChangePct,
  }
}

type Room = {
  eventType: EventType
  /** Pool key or address; empty for rooms without one. */
  subject: string
}

/** Parses a room name; undefined if its kind is unknown. Does not check that its pool exists. */
export function parseRoom(name: string): Room | undefined {
  const prefix = name.slice(0, name.indexOf(':') + 1)
  const kind = prefix || name
  if (!isRoomKind(kind)) return undefined
  const subject = prefix ? name.slice(prefix.length) : ''
  return prefix && !subject ? undefined : { eventType: ROOM_EVENTS[kind], subject }
}

/** The room for events of this type about this subject. */
export function roomName(eventType: EventType, subject: string): string {
  return `${KIND_BY_EVENT_TYPE[eventType]}${subject}`
}

type RoomKind = keyof typeof ROOM_EVENTS

const isRoomKind = (kind: string): kind is RoomKind => Object.hasOwn(ROOM_EVENTS, kind)

const KIND_BY_EVENT_TYPE = Object.fromEntries(
  Object.entries(ROOM_EVENTS).map(([kind, eventType]) => [eventType, kind]),
) as Record<EventType, RoomKind> // as: the inverted table; each event type occurs once
