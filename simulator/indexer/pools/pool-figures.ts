import { type CandleInterval, INTERVAL_MS, intervalStartMs } from '../candle-interval.ts'
import { type IndexedPool, type IndexState, indexedToken } from '../index-state.ts'
import { candleSeries } from '../pool-candles.ts'
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

/** A pool's figures of every window, as of the last indexed block. */
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

/** Integers: dollars scaled by SCALE, percent by 10^PERCENT_DECIMALS; null where the figure is not known. */
type PoolFigures = {
  volume0: bigint
  volume1: bigint
  volumeUsd: bigint | null
  priceChangePct: bigint | null
}

/** What happened in a window that ends at `nowMs`. Volume in dollars is that of the quote token, at its present price. */
function poolFigures(
  pool: IndexedPool,
  { window, valuation, nowMs }: { window: MetricWindow; valuation: Valuation; nowMs: number },
): PoolFigures {
  return figuresOf(pool, windowFigures(pool, window, nowMs), valuation)
}

/** The same, from what is known of the window. */
export function figuresOf(pool: IndexedPool, figures: WindowFigures, valuation: Valuation): PoolFigures {
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

/** What the pool holds, in dollars, scaled; null unless both its tokens have a price. */
export function poolDollars(
  { token0, token1, balance0, balance1 }: IndexedPool,
  valuation: Valuation,
): bigint | null {
  const price0 = valuation.get(token0.id)
  const price1 = valuation.get(token1.id)
  if (price0 === undefined || price1 === undefined) return null
  return dollars(balance0, price0, token0) + dollars(balance1, price1, token1)
}

/** Of the token that the pool is shown as selling; null where nothing ties it to the stable one. */
function basePrice(pool: IndexedPool, valuation: Valuation): bigint | null {
  return valuation.get(baseAndQuote(pool).base.id) ?? null
}

/** Null where nothing can be bought. */
export function poolPriceText({ liquidity, sqrtPriceX96, token0, token1 }: PoolView): string | null {
  return liquidity === 0n ? null : priceText(sqrtPriceX96, token0, token1)
}

/** Percent as exact decimal text; null where not known. */
export function percentText(value: bigint | null): string | null {
  return value === null ? null : decimalText(value, PERCENT_DECIMALS, PERCENT_DECIMALS)
}

/** Dollars as exact decimal text, cut off after DOLLAR_DECIMALS; null where not known. */
export function dollarText(value: bigint | null): string | null {
  return value === null ? null : decimalText(value, SCALE_DECIMALS, DOLLAR_DECIMALS)
}

/** Dollars for one token: with as many digits as any price. */
export function dollarPriceText(value: bigint | null): string | null {
  return value === null ? null : priceDigits(value, SCALE)
}

function baseAndQuote({ token0, token1, displayFlipped }: IndexedPool) {
  return displayFlipped ? { base: token1, quote: token0 } : { base: token0, quote: token1 }
}

/**
 * A window is so many candles: the one that the last indexed block falls in, and those before it. So it begins with a
 * whole candle, and is by less than one candle shorter than its name says. A month is thirty days.
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
  /** The price when the window began, or the opening price of a younger pool; null where nobody traded since. */
  priceBeforeX96: bigint | null
}

const NOTHING: WindowFigures = { volume0: 0n, volume1: 0n, priceBeforeX96: null }

/** All volume less that before the window: one search, however many candles the window has. */
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

/** When the window began that ends at `nowMs`. */
export function windowStartMs(window: MetricWindow, nowMs: number): number {
  const { interval, candles } = WINDOWS[window]
  return intervalStartMs(interval, nowMs) - (candles - 1) * INTERVAL_MS[interval]
}

/** The pool as of now: a copy, which stays as it is. */
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
