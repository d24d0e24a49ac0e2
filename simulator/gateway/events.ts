import type { EventType } from '../../contract/schemas/feed.ts'
import type { Choices } from '../choices/choices.ts'
import { shaped } from '../choices/shaped.ts'
import { priceText } from '../indexer/price.ts'
import type { BlockUpdate } from '../indexer/views.ts'
import { roomName } from './room.ts'

export type FeedEvent = { room: string; type: EventType; data: Record<string, unknown> }

/**
 * The events of an indexed block, in order. Not shown by the specification, decided: the data fields. `id` is unique
 * within its type and the same for every subscriber; amounts, prices and deltas are exact strings in base units or decimals.
 */
export function* eventsOf(
  update: BlockUpdate,
  choices: Pick<Choices, 'wire' | 'profile'>,
): Generator<FeedEvent> {
  const { timestamp, revision, fee, poolKey, tokenId, address } = choices.wire
  const event = eventMaker(choices.profile.events)
  const { height, timeMs } = update.block
  const at = { block: height, timestamp: timestamp(timeMs) }

  for (const pool of update.launches) {
    const key = poolKey.encode(pool.key)
    const shown = {
      token0: tokenId.encode(pool.token0.id),
      token1: tokenId.encode(pool.token1.id),
      fee: fee(pool.feePips),
      enabled: pool.enabled,
    }
    yield event('PoolLaunch', '', { id: pool.id, pool: key }, { ...shown, ...at })
  }
  for (const pool of update.poolStats) {
    const key = poolKey.encode(pool.key)
    const shown = {
      price: priceText(pool.sqrtPriceX96, pool.token0, pool.token1),
      sqrt_price_x96: String(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: String(pool.liquidity),
      balance0: String(pool.balance0),
      balance1: String(pool.balance1),
    }
    yield event('PoolStats', key, { id: `${height}-${pool.id}`, pool: key }, { ...shown, ...at })
  }
  for (const trade of update.trades) {
    const key = poolKey.encode(trade.pool)
    const shown = {
      kind: trade.kind,
      amount0: String(trade.amount0),
      amount1: String(trade.amount1),
      price: trade.price,
      sqrt_price_x96: String(trade.sqrtPriceX96),
      tick: trade.tick,
      liquidity: String(trade.liquidity),
      transaction: trade.transaction,
    }
    yield event('Trade', key, { id: trade.id, pool: key }, { ...shown, ...at })
  }
  for (const [index, candle] of update.candles.entries()) {
    const key = poolKey.encode(candle.pool)
    const shown = {
      interval: candle.interval,
      start: timestamp(candle.startMs),
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      volume0: String(candle.volume0),
      volume1: String(candle.volume1),
    }
    yield event('Ohlcv', key, { id: `${height}-${index}`, pool: key }, { ...shown, ...at })
  }
  for (const [index, change] of update.balanceChanges.entries()) {
    const owner = address.encode(change.address)
    const shown = {
      token: tokenId.encode(change.token.id),
      delta: String(change.delta),
      balance: String(change.balance),
    }
    yield event('BalanceChange', owner, { id: `${height}-${index}`, address: owner }, { ...shown, ...at })
  }
  if (update.config) {
    const { observedBlock, changes } = update.config
    const pairs = changes.map(({ scope, key }) => ({ scope, key }))
    yield event(
      'ProtocolConfigChanged',
      '',
      { id: String(update.config.revision), changes: pairs },
      { revision: revision(update.config.revision), observed_block: observedBlock },
    )
  }
}

type NamedFields = Choices['profile']['events']

/** Puts what the profile names at its paths, and all else straight into `data`. */
function eventMaker(paths: NamedFields) {
  return (
    type: EventType,
    subject: string,
    named: Partial<Record<keyof NamedFields, unknown>>,
    rest: Record<string, unknown>,
  ): FeedEvent => {
    const inData = Object.entries(rest).map(([name, value]) => [`data.${name}`, value])
    const body = shaped<string>(paths, { ...named, ...Object.fromEntries(inData) })
    return { room: roomName(type, subject), type, data: body.data as FeedEvent['data'] } // as: every path leads there
  }
}
