import type { Choices } from '../../choices/choices.ts'
import type { MetricWindow } from '../../indexer/views/explore-views.ts'
import type { PoolView, TokenView } from '../../indexer/views/market-views.ts'
import type { PoolStatsView, WindowStatsView } from '../../indexer/views/pool-views.ts'
import type { ConfigChangeView } from '../../indexer/views/protocol-views.ts'
import type { CandleView, TradeView } from '../../indexer/views/trade-views.ts'
import type { BalanceChangeView } from '../../indexer/views/wallet-views.ts'
import type { EventFields } from './event-schemas.ts'

type Wire = Choices['wire']
type At = { block: number; timestamp: string }

/** A pool that was launched: its record, with names of both tokens. */
export function launchFields(pool: PoolView, wire: Wire, at: At): EventFields<'PoolLaunch'> {
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

/** A pool's figures as they stand after the block. */
export function statsFields(stats: PoolStatsView, wire: Wire, at: At): EventFields<'PoolStats'> {
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

/** The candle that the block opened, or went on with. */
export function candleFields(candle: CandleView, wire: Wire, at: At): EventFields<'Ohlcv'> {
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

/** A trade; `user` is null where that is private. */
export function tradeFields(trade: TradeView, wire: Wire, at: At): EventFields<'Trade'> {
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

/** What the block did to a balance, and what it is now. */
export function balanceFields(change: BalanceChangeView, wire: Wire, at: At): EventFields<'BalanceChange'> {
  return {
    token: wire.tokenId.encode(change.token.id),
    delta: String(change.delta),
    balance: String(change.balance),
    ...at,
  }
}

/** The revision, and the block at which it was observed. */
export function configFields(config: ConfigChangeView, wire: Wire): EventFields<'ProtocolConfigChanged'> {
  return { revision: wire.revision(config.revision), observed_block: config.observedBlock }
}

/** What a block did to each balance, all its changes together: a read at that block knows no steps between. */
export function netChanges(changes: readonly BalanceChangeView[]): BalanceChangeView[] {
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
  } as TokenFields<Name> // as: the names are made of it
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
