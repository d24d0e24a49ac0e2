import type { EventType } from '../../contract/schemas/feed.ts'
import { priceText } from '../indexer/price.ts'
import type { BlockUpdate } from '../indexer/views.ts'
import { roomName } from './room.ts'

export type FeedEvent = { room: string; type: EventType; data: Record<string, unknown> }

/**
 * The events of an indexed block, in order. Not shown by the specification, decided: the data fields. `id` is unique
 * within its type and the same for every subscriber; amounts, prices and deltas are exact strings in base units or decimals.
 */
export function* eventsOf(update: BlockUpdate): Generator<FeedEvent> {
  const { height, timeMs } = update.block
  const at = { block: height, timestamp: timestamp(timeMs) }

  for (const pool of update.launches) {
    yield event('PoolLaunch', '', {
      id: pool.id,
      pool: pool.key,
      token0: pool.token0.id,
      token1: pool.token1.id,
      fee: String(pool.feePips),
      enabled: pool.enabled,
      ...at,
    })
  }
  for (const pool of update.poolStats) {
    yield event('PoolStats', pool.key, {
      id: `${height}-${pool.id}`,
      pool: pool.key,
      price: priceText(pool.sqrtPriceX96, pool.token0, pool.token1),
      sqrt_price_x96: String(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: String(pool.liquidity),
      balance0: String(pool.balance0),
      balance1: String(pool.balance1),
      ...at,
    })
  }
  for (const trade of update.trades) {
    yield event('Trade', trade.pool, {
      id: trade.id,
      pool: trade.pool,
      kind: trade.kind,
      amount0: String(trade.amount0),
      amount1: String(trade.amount1),
      price: trade.price,
      sqrt_price_x96: String(trade.sqrtPriceX96),
      tick: trade.tick,
      liquidity: String(trade.liquidity),
      transaction: trade.transaction,
      ...at,
    })
  }
  for (const [index, candle] of update.candles.entries()) {
    yield event('Ohlcv', candle.pool, {
      id: `${height}-${index}`,
      pool: candle.pool,
      interval: candle.interval,
      start: timestamp(candle.startMs),
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      volume0: String(candle.volume0),
      volume1: String(candle.volume1),
      ...at,
    })
  }
  for (const [index, change] of update.balanceChanges.entries()) {
    yield event('BalanceChange', change.address, {
      id: `${height}-${index}`,
      address: change.address,
      token: change.token.id,
      delta: String(change.delta),
      balance: String(change.balance),
      ...at,
    })
  }
  if (update.config) {
    const { revision, observedBlock, changes } = update.config
    yield event('ProtocolConfigChanged', '', {
      id: String(revision),
      revision,
      observed_block: observedBlock,
      changes: changes.map(({ scope, key }) => ({ scope, key })),
    })
  }
}

function event(type: EventType, subject: string, data: Record<string, unknown>): FeedEvent {
  return { room: roomName(type, subject), type, data }
}

/** RFC 3339 with milliseconds, UTC, as the REST host writes times. */
function timestamp(atMs: number): string {
  return new Date(atMs).toISOString()
}
