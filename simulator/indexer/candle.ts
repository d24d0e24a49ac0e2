import { priceText } from './price.ts'
import type { CandleView, PoolView } from './views.ts'

const MINUTE_MS = 60_000

/** The minute that a pool's last trade fell in. */
export type Candle = {
  startMs: number
  openX96: bigint
  highX96: bigint
  lowX96: bigint
  closeX96: bigint
  volume0: bigint
  volume1: bigint
}

type Trade = { atMs: number; sqrtPriceX96: bigint; volume0: bigint; volume1: bigint }

/** The candle with a trade in it: the same minute's, or a new one that opens with the trade. */
export function addTrade(
  candle: Candle | undefined,
  { atMs, sqrtPriceX96, volume0, volume1 }: Trade,
): Candle {
  const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS
  if (candle?.startMs !== startMs) {
    const [openX96, highX96, lowX96, closeX96] = [sqrtPriceX96, sqrtPriceX96, sqrtPriceX96, sqrtPriceX96]
    return { startMs, openX96, highX96, lowX96, closeX96, volume0, volume1 }
  }
  return {
    ...candle,
    highX96: sqrtPriceX96 > candle.highX96 ? sqrtPriceX96 : candle.highX96,
    lowX96: sqrtPriceX96 < candle.lowX96 ? sqrtPriceX96 : candle.lowX96,
    closeX96: sqrtPriceX96,
    volume0: candle.volume0 + volume0,
    volume1: candle.volume1 + volume1,
  }
}

export function candleView({ key, token0, token1 }: PoolView, candle: Candle): CandleView {
  const text = (sqrtPriceX96: bigint) => priceText(sqrtPriceX96, token0, token1)
  return {
    pool: key,
    interval: '1m',
    startMs: candle.startMs,
    open: text(candle.openX96),
    high: text(candle.highX96),
    low: text(candle.lowX96),
    close: text(candle.closeX96),
    volume0: candle.volume0,
    volume1: candle.volume1,
  }
}
