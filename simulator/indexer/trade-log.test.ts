import { expect, test } from 'vitest'
import { logTrade } from './trade-log.ts'
import type { TradeView } from './views.ts'

test('keeps a thousand trades at the least, fewer than two thousand, and drops the oldest', () => {
  const trades: TradeView[] = []
  for (let block = 0; block < 5000; block++) {
    logTrade(trades, { block } as TradeView) // as: the log looks at nothing within
    expect(trades.length).toBeLessThan(2000)
    expect(trades.length).toBeGreaterThanOrEqual(Math.min(block + 1, 1000))
    expect(trades.at(-1)?.block).toBe(block)
  }
})
