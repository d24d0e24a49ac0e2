import { expect, test } from 'vitest'
import { fullRangeTicks } from '../amm/position.ts'
import { ADMIN, ALICE, keyOf, swapTransaction } from '../chain/test-chain.ts'
import { HISTORY_LIMITS } from './history-limits.ts'
import { CHUNK_LENGTH, logLength } from './history-log.ts'
import { createTestIndex } from './test-index.ts'

test('the newest of a pool are kept, as many as the limit says', () => {
  const { views, state, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  const kept = HISTORY_LIMITS.tradesPerPool
  const swaps = kept + 2 * CHUNK_LENGTH
  step(...Array.from({ length: swaps }, (_, place) => swapTransaction(['USD', 'A'], 1000n + BigInt(place))))
  const { rows, total } = views.trades({ pool: keyOf('USD', 'A'), limit: 10 * kept, offset: 0 })
  expect([rows.length, total]).toEqual([kept, kept])
  const paid = rows.map(({ amount0, amount1 }) => (amount0 > 0n ? amount0 : amount1))
  expect([paid[0], paid.at(-1)]).toEqual([999n + BigInt(swaps), 1000n + BigInt(swaps - kept)])
  expect(views.trades({ pool: keyOf('USD', 'A'), limit: 10, offset: kept - 1 }).rows).toEqual(rows.slice(-1))
  const log = state.pools.get(keyOf('USD', 'A'))?.trades
  expect(log && logLength(log)).toBeLessThan(kept + CHUNK_LENGTH)
})

test('they tell who swapped and whose position it is, but not of those that are private', () => {
  const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  const pool = keyOf('USD', 'A')
  const swap = swapTransaction(['USD', 'A'], 1000n)
  const mint = {
    kind: 'mintPosition' as const,
    sender: ADMIN,
    pool,
    ...fullRangeTicks(60),
    liquidity: 1000n,
    isPrivate: false,
  }
  const { trades } = step(swap, { ...swap, isPrivate: true }, mint, { ...mint, isPrivate: true })
  expect(trades.map(({ kind, user }) => [kind, user])).toEqual([
    ['swap', ALICE],
    ['swap', null],
    ['mint', ADMIN],
    ['mint', null],
  ])
  expect(views.trades({ pool, limit: 4, offset: 0 }).rows.toReversed()).toEqual(trades)
})
