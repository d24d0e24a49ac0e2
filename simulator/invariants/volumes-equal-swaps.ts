import { CANDLE_INTERVALS } from '../indexer/candle-interval.ts'
import { keptCandles } from '../indexer/candles/candles.ts'
import type { IndexedPool } from '../indexer/index-state.ts'
import type { BookedTrade, Volumes } from './book.ts'
import type { Checker } from './evidence.ts'

/**
 * A pool's volume is the sum of what swaps paid and got there, all of it and what came before the candles that are kept
 * of each interval.
 */
export const volumesEqualSwaps: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap((pool) => {
    const trades = book.trades.get(pool.key) ?? []
    const differs = (found: Volumes, expected: Volumes) =>
      found.volume0 !== expected.volume0 || found.volume1 !== expected.volume1
    return figuresOf(pool)
      .map(({ name, found, endMs }) => ({ name, found, expected: volumeBefore(trades, endMs) }))
      .filter(({ found, expected }) => differs(found, expected))
      .map(
        ({ name, found, expected }) =>
          `pool ${pool.key}: ${name} ${found.volume0} and ${found.volume1}, swaps give ${expected.volume0} and ${expected.volume1}`,
      )
  })

type Figure = { name: string; found: Volumes; endMs: number }

function figuresOf(pool: IndexedPool): readonly Figure[] {
  const total = { volume0: pool.volume0Total, volume1: pool.volume1Total }
  return [
    { name: 'all volume', found: total, endMs: Number.POSITIVE_INFINITY },
    ...CANDLE_INTERVALS.flatMap((interval) => {
      const [oldest] = keptCandles(pool, interval)
      if (!oldest) return []
      const found = { volume0: oldest.volume0Before, volume1: oldest.volume1Before }
      return [{ name: `volume before the kept ${interval} candles`, found, endMs: oldest.startMs }]
    }),
  ]
}

function volumeBefore(trades: readonly BookedTrade[], endMs: number): Volumes {
  const sum = { volume0: 0n, volume1: 0n }
  for (const { atMs, volume0, volume1 } of trades) {
    if (atMs >= endMs) continue
    sum.volume0 += volume0
    sum.volume1 += volume1
  }
  return sum
}
