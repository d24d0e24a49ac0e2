import {
  DOLLAR_DECIMALS,
  decimalText,
  PERCENT_DECIMALS,
  priceDigits,
  SCALE,
  SCALE_DECIMALS,
} from '../decimal.ts'
import type { IndexedPool } from '../index-state.ts'
import { percentMoved, priceText } from '../price.ts'
import type { MetricWindow } from '../views/explore-views.ts'
import type { PoolView } from '../views/market-views.ts'
import { dollars, type Valuation } from './valuation.ts'
import { type WindowFigures, windowFigures } from './window-figures.ts'

/** Integers: dollars scaled by SCALE, percent by 10^PERCENT_DECIMALS; null where the figure is not known. */
export type PoolFigures = {
  volume0: bigint
  volume1: bigint
  volumeUsd: bigint | null
  priceChangePct: bigint | null
}

/** What happened in a window that ends at `nowMs`. Volume in dollars is that of the quote token, at its present price. */
export function poolFigures(
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
export function basePrice(pool: IndexedPool, valuation: Valuation): bigint | null {
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
