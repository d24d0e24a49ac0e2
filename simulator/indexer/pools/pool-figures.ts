import { type CandleInterval, INTERVAL_MS, intervalStartMs } from '../candle-interval.ts'
import { candleSeries } from '../candles.ts'
import { type IndexedPool, type IndexState, indexedToken } from '../index-state.ts'
import {
  DOLLAR_DECIMALS,
  decimalText,
  PERCENT_DECIMALS,
  percentMoved,
  priceDigits,
  priceText,
  SCALE,
  SCALE_DECIMALS,
} from '../price.ts'
import type { MetricWindow, PoolStatsView, PoolView, WindowStatsView } from '../views/market-views.ts'
import { dollars, type Valuation } from './valuation.ts'

/** A pool's figures for every window, at the last indexed block. */
export function poolStats(state: IndexState, pool: IndexedPool, valuation: Valuation): PoolStatsView {
  const nowMs = state.head.timeMs
  const ofWindow = (window: MetricWindow): WindowStatsView => {
    const { volume0, volume1, volumeUsd, priceChangePct } = poolFigures(pool, { window, valuation, nowMs })
    return {
      startMs: windowStartMs(window, nowMs),
      volume0,
      volume1,
      volumeUsd: dollarText(volumeUsd),
      priceChangePct: percentText(priceChangePct),
    }
  }
  const view = poolView(state, pool)
  return {
    pool: view,
    price: poolPriceText(view),
    priceUsd: dollarPriceText(basePrice(pool, valuation)),
    tvlUsd: dollarText(poolDollars(pool, valuation)),
    windows: { '1h': ofWindow('1h'), '1d': ofWindow('1d'), '1w': ofWindow('1w'), '1m': ofWindow('1m') },
  }
}

/** Integers: dollars scaled by SCALE, percent by 10^PERCENT_DECIMALS; null if unknown. */
type PoolFigures = {
  volume0: bigint
  volume1: bigint
  volumeUsd: bigint | null
  priceChangePct: bigint | null
}

/** Activity in a window that ends at `nowMs`. Volume in dollars is that of the quote token, at its current price. */
function poolFigures(
  pool: IndexedPool,
  { window, valuation, nowMs }: { window: MetricWindow; valuation: Valuation; nowMs: number },
): PoolFigures {
  return computeFigures(pool, windowFigures(pool, window, nowMs), valuation)
}

/** The same, from known window figures. */
export function computeFigures(pool: IndexedPool, figures: WindowFigures, valuation: Valuation): PoolFigures {
  const { volume0, volume1, priceBeforeX96 } = figures
  const { quote } = baseAndQuote(pool)
  const quoteUsd = valuation.get(quote.id)
  const quoteVolume = pool.displayFlipped ? volume0 : volume1
  return {
    volume0,
    volume1,
    volumeUsd: quoteUsd === undefined ? null : dollars(quoteVolume, quoteUsd, quote),
    priceChangePct: priceBeforeX96 === null ? null : percentMoved(priceBeforeX96, pool.amm.sqrtPriceX96),
  }
}

/** Value of the pool in dollars, scaled; null unless both tokens have a price. */
export function poolDollars(
  { token0, token1, balance0, balance1 }: IndexedPool,
  valuation: Valuation,
): bigint | null {
  const price0 = valuation.get(token0.id)
  const price1 = valuation.get(token1.id)
  if (price0 === undefined || price1 === undefined) return null
  return dollars(balance0, price0, token0) + dollars(balance1, price1, token1)
}

/** Price of the token that the pool sells; null if no pools connect it to the stable token. */
function basePrice(pool: IndexedPool, valuation: Valuation): bigint | null {
  return valuation.get(baseAndQuote(pool).base.id) ?? null
}

/** Null without liquidity. */
export function poolPriceText({ liquidity, sqrtPriceX96, token0, token1 }: PoolView): string | null {
  return liquidity === 0n ? null : priceText(sqrtPriceX96, token0, token1)
}

/** Percent as exact decimal text; null if unknown. */
export function percentText(value: bigint | null): string | null {
  return value === null ? null : decimalText(value, PERCENT_DECIMALS, PERCENT_DECIMALS)
}

/** Dollars as decimal text, truncated to DOLLAR_DECIMALS; null if unknown. */
export function dollarText(value: bigint | null): string | null {
  return value === null ? null : decimalText(value, SCALE_DECIMALS, DOLLAR_DECIMALS)
}

/** Dollars per token, with as many digits as any price. */
export function dollarPriceText(value: bigint | null): string | null {
  return value === null ? null : priceDigits(value, SCALE)
}

function baseAndQuote({ token0, token1, displayFlipped }: IndexedPool) {
  return displayFlipped ? { base: token1, quote: token0 } : { base: token0, quote: token1 }
}

/**
 * A window is a number of candles: that of the last indexed block, and those before it. It starts with a whole candle,
 * so it is up to one candle shorter than its name. A month is thirty days.
 */
export const WINDOWS: Record<MetricWindow, { interval: CandleInterval; candles: number }> = {
  '1h': { interval: '1m', candles: 60 },
  '1d': { interval: '15m', candles: 96 },
  '1w': { interval: '1h', candles: 168 },
  '1m': { interval: '4h', candles: 180 },
}

export type WindowFigures = {
  volume0: bigint
  volume1: bigint
  /** Price at the start of the window, or the opening price of a younger pool; null without trades since. */
  priceBeforeX96: bigint | null
}

const NOTHING: WindowFigures = { volume0: 0n, volume1: 0n, priceBeforeX96: null }

/** Total volume less that before the window: one search, whatever the number of candles. */
export function windowFigures(pool: IndexedPool, window: MetricWindow, nowMs: number): WindowFigures {
  const startMs = windowStartMs(window, nowMs)
  const minute = pool.candles.open[0]
  if (!minute || minute.startMs < startMs) return NOTHING
  const series = candleSeries(pool.candles, WINDOWS[window].interval)
  const number = series.firstFrom(startMs)
  const first = series.at(number)
  if (!first) return NOTHING
  return {
    volume0: pool.volume0Total - first.volume0Before,
    volume1: pool.volume1Total - first.volume1Before,
    priceBeforeX96: series.at(number - 1)?.closeX96 ?? pool.openingX96,
  }
}

export function windowStartMs(window: MetricWindow, nowMs: number): number {
  const { interval, candles } = WINDOWS[window]
  return intervalStartMs(interval, nowMs) - (candles - 1) * INTERVAL_MS[interval]
}

export function poolView(state: IndexState, pool: IndexedPool): PoolView {
  return {
    id: `pool-${pool.sequence + 1}`,
    key: pool.key,
    token0: indexedToken(state, pool.token0.id),
    token1: indexedToken(state, pool.token1.id),
    feePips: pool.feePips,
    tickSpacing: pool.tickSpacing,
    enabled: pool.enabled,
    createdAtMs: pool.createdAtMs,
    sqrtPriceX96: pool.amm.sqrtPriceX96,
    tick: pool.amm.tick,
    liquidity: pool.amm.liquidity,
    balance0: pool.balance0,
    balance1: pool.balance1,
  }
}
