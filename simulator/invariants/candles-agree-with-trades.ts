import type { BookedTrade } from './book.ts'
import type { Checker } from './evidence.ts'

/** Each pool's last candle opens, peaks, bottoms, closes and adds up as the trades of its minute did. */
export const candlesAgreeWithTrades: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap(({ view: { key }, candle }) => {
    const minute = book.lastMinutes.get(key)
    const expected = minute && { startMs: minute.startMs, ...candleOf(minute.trades) }
    if (!candle || !expected)
      return candle || expected ? [`pool ${key}: a candle without trades, or trades without`] : []
    return Object.entries(expected)
      .filter(([name, value]) => candle[name as keyof typeof candle] !== value) // as: expected has a candle's names
      .map(
        ([name, value]) =>
          `pool ${key}: ${name} ${candle[name as keyof typeof candle]}, trades give ${value}`,
      )
  })

function candleOf(trades: readonly BookedTrade[]) {
  const prices = trades.map(({ sqrtPriceX96 }) => sqrtPriceX96)
  const ascending = [...prices].sort((a, b) => (a < b ? -1 : 1))
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  return {
    openX96: prices[0],
    highX96: ascending.at(-1),
    lowX96: ascending[0],
    closeX96: prices.at(-1),
    volume0: sum(trades.map(({ volume0 }) => volume0)),
    volume1: sum(trades.map(({ volume1 }) => volume1)),
  }
}
