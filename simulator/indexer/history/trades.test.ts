import { expect, test } from 'vitest'
import { fullRangeTicks } from '../../amm/position.ts'
import { ADMIN, ALICE, buildPoolKey, swapTransaction } from '../../chain/test-chain.ts'
import { indexedPool } from '../index-state.ts'
import { createTestIndex } from '../test-index.ts'
import { CHUNK_LENGTH, HISTORY_LIMITS, logLength } from './history-log.ts'
import { logTrade } from './trades.ts'

test('keeps the newest of a pool up to the limit', () => {
  const { views, state, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  const kept = HISTORY_LIMITS.tradesPerPool
  const swaps = kept + 2 * CHUNK_LENGTH
  step(...Array.from({ length: swaps }, (_, place) => swapTransaction(['USD', 'A'], 1000n + BigInt(place))))
  const { rows, total } = views.trades({ pool: buildPoolKey('USD', 'A'), limit: 10 * kept, offset: 0 })
  expect([rows.length, total]).toEqual([kept, kept])
  const paid = rows.map(({ amount0, amount1 }) => (amount0 > 0n ? amount0 : amount1))
  expect([paid[0], paid.at(-1)]).toEqual([999n + BigInt(swaps), 1000n + BigInt(swaps - kept)])
  expect(views.trades({ pool: buildPoolKey('USD', 'A'), limit: 10, offset: kept - 1 }).rows).toEqual(
    rows.slice(-1),
  )
  const log = state.pools.get(buildPoolKey('USD', 'A'))?.trades
  expect(log && logLength(log)).toBeLessThan(kept + CHUNK_LENGTH)
})

test('trades have their user or owner, except private ones', () => {
  const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  const pool = buildPoolKey('USD', 'A')
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

test('trades of all pools come in the order of execution, newest first, up to the limit', () => {
  const { views, state, step } = createTestIndex({
    symbols: ['USD', 'A', 'B'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
    ],
  })
  step(swapTransaction(['USD', 'A', 'B'], 1000n), swapTransaction(['A', 'USD'], 2000n))
  const { rows, total } = views.trades({ limit: 10, offset: 0 })
  expect(total).toBe(5)
  expect(rows.map(({ pool, kind }) => [pool, kind])).toEqual([
    [buildPoolKey('USD', 'A'), 'swap'],
    [buildPoolKey('A', 'B'), 'swap'],
    [buildPoolKey('USD', 'A'), 'swap'],
    [buildPoolKey('A', 'B'), 'mint'],
    [buildPoolKey('USD', 'A'), 'mint'],
  ])
  for (const { key } of views.pools({ limit: 2, offset: 0 }).rows) {
    expect(views.trades({ pool: key, limit: 10, offset: 0 }).rows).toEqual(
      rows.filter(({ pool }) => pool === key),
    )
  }
  expect(views.trades({ limit: 2, offset: 3 }).rows).toEqual(rows.slice(3))

  const pool = indexedPool(state, buildPoolKey('USD', 'A'))
  const [newest] = state.trades.chunks.at(-1)?.slice(-1) ?? []
  if (!newest) throw new Error('there were trades')
  const kept = HISTORY_LIMITS.trades
  for (let count = 0; count < kept + CHUNK_LENGTH; count++) logTrade(state, pool, { ...newest, block: count })
  expect(views.trades({ limit: 1, offset: kept - 1 })).toMatchObject({
    rows: [{ block: CHUNK_LENGTH }],
    total: kept,
  })
  expect(logLength(state.trades)).toBeLessThan(kept + CHUNK_LENGTH)
})
