import { expect, test } from 'vitest'
import { INT128_MAX, Q96 } from './full-math.ts'
import { createPool, type Pool } from './pool.ts'
import { burn, fullRangeTicks, liquidityPerTickMax, mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'

const newPool = (): Pool => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
const lp = { owner: 'lp', tickLower: -600, tickUpper: 600 }

test.each([
  ['TLU', { ...lp, tickLower: 600 }, 1n],
  ['TLM', { ...lp, tickLower: -887280 }, 1n],
  ['TUM', { ...lp, tickUpper: 887280 }, 1n],
  ['T', { ...lp, tickLower: -601 }, 1n],
  ['LO', lp, liquidityPerTickMax(60) + 1n],
  // The contract checks the liquidity of both ticks before their bounds.
  ['LO', { ...lp, tickLower: -601 }, liquidityPerTickMax(60) + 1n],
  ['T', { ...lp, tickUpper: 601 }, 1n],
  ['LS', lp, 0n],
  ['LS', lp, -1n],
  ['overflow', lp, INT128_MAX + 1n],
] as const)('refuses to mint: %s, and leaves the pool as it was', (code, range, liquidity) => {
  const pool = newPool()
  expect(() => mint(pool, range, liquidity)).toThrow(expect.objectContaining({ code }))
  expect(pool).toEqual(newPool())
})

test.each([
  ['NP', 0n, { ...lp, owner: 'nobody' }],
  ['NP', 0n, { ...lp, tickUpper: 540 }],
  ['LS', 1001n, lp],
  ['LS', 1001n, { ...lp, owner: 'other' }],
  ['LS', 1n, { ...lp, owner: 'nobody' }],
  ['LS', -1n, lp],
  ['overflow', INT128_MAX + 1n, lp],
  ['TLU', 1n, { ...lp, tickLower: 600 }],
  ['TLM', 1n, { ...lp, tickLower: -887280 }],
  ['TUM', 1n, { ...lp, tickUpper: 887280 }],
] as const)('refuses to burn: %s, and leaves the pool as it was', (code, liquidity, range) => {
  const newer = () => {
    const pool = newPool()
    mint(pool, lp, 1000n)
    mint(pool, { ...lp, owner: 'other' }, 1000n)
    return pool
  }
  const pool = newer()
  expect(() => burn(pool, range, liquidity)).toThrow(expect.objectContaining({ code }))
  expect(pool).toEqual(newer())
})

test('a tick has a liquidity maximum, whoever mints, from either side', () => {
  const pool = newPool()
  const most = liquidityPerTickMax(60)
  mint(pool, lp, most - 1n)
  mint(pool, { owner: 'other', tickLower: 600, tickUpper: 660 }, 1n)
  expect(() => mint(pool, lp, 1n)).toThrow(expect.objectContaining({ code: 'LO' }))
  expect(pool.ticks.byTick.get(600)).toMatchObject({ liquidityGross: most, liquidityNet: 2n - most })
})

// Values from v3-core's tests.
test.each([
  [10, 1917569901783203986719870431555990n, 887270],
  [60, 11505743598341114571880798222544994n, 887220],
  [200, 38350317471085141830651933667504588n, 887200],
])('the maximum liquidity of a tick at spacing %i is %i', (spacing, most, tickUpper) => {
  expect(liquidityPerTickMax(spacing)).toBe(most)
  expect(fullRangeTicks(spacing)).toEqual({ tickLower: -tickUpper, tickUpper })
})

test('fees go to those in range, by their liquidity, and never exceed the fees paid', () => {
  const pool = newPool()
  const half = { ...lp, owner: 'half' }
  const away = { owner: 'away', tickLower: 1200, tickUpper: 1800 }
  mint(pool, lp, 2_000_000n)
  mint(pool, half, 1_000_000n)
  mint(pool, away, 9_000_000n)
  applySwap(pool, computeSwap(pool, { zeroForOne: true, amountSpecified: 10_000n }))
  const owed = [lp, half, away].map((range) => {
    burn(pool, range, 0n)
    return pool.positions.get(`${range.owner}/${range.tickLower}/${range.tickUpper}`)?.tokensOwed0
  })
  // 0.3% of 10,000 is 30, two to one; growth per unit of liquidity rounds down, and so does each share.
  expect(owed).toEqual([19n, 9n, 0n])
})
