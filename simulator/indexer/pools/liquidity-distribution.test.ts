import { expect, test } from 'vitest'
import { ALICE, swapTransaction } from '../../chain/test-chain.ts'
import { createClock } from '../../clock.ts'
import { createRandom } from '../../random.ts'
import { createWorld } from '../../world/world.ts'
import { loadWorldFixture, startMsOf } from '../../world-fixture.ts'
import { createTestIndex } from '../test-index.ts'
import { PAIR, TO_A_HALF } from '../test-pair.ts'

const L = 10n ** 12n

test('a position adds its liquidity between its ticks', () => {
  const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  const whole = { tickLower: -887_220, tickUpper: 887_220, liquidity: L, amount0: L - 1n, amount1: L - 1n }
  expect(views.liquidityDistribution(PAIR.key)).toMatchObject([{ ...whole, isActive: true }])
  const [tickLower, tickUpper] = [-600, 600]
  step({
    kind: 'mintPosition',
    sender: ALICE,
    pool: PAIR.key,
    tickLower,
    tickUpper,
    liquidity: L,
    isPrivate: false,
  })
  // Below: 10^12 × 1.0001^-300; in between 2 × 10^12 × (1 - 1.0001^-300) of either token.
  const below = { tickLower: -887_220, tickUpper: -600, liquidity: L, amount0: 0n, amount1: 970_446_989_120n }
  const between = {
    tickLower,
    tickUpper,
    liquidity: 2n * L,
    amount0: 59_106_021_758n,
    amount1: 59_106_021_758n,
  }
  const above = { tickLower: 600, tickUpper: 887_220, liquidity: L, amount0: 970_446_989_120n, amount1: 0n }
  expect(views.liquidityDistribution(PAIR.key)).toMatchObject([
    { ...below, isActive: false, priceUpper: '0.94176735869374806' },
    { ...between, isActive: true, priceLower: '0.94176735869374806', priceUpper: '1.061833361252848991' },
    { ...above, isActive: false, priceLower: '1.061833361252848991' },
  ])
  step(swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn))
  const active = views.liquidityDistribution(PAIR.key)?.map(({ isActive }) => isActive)
  expect(active).toEqual([true, false, false])
  expect(views.liquidityDistribution('1field')).toBeUndefined()
})

test('a gap between two positions is left out, and so is a pool with nothing in it', () => {
  const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  for (const [tickLower, tickUpper] of [
    [-1200, -600],
    [600, 1200],
  ] as const)
    step({
      kind: 'mintPosition',
      sender: ALICE,
      pool: PAIR.key,
      tickLower,
      tickUpper,
      liquidity: L,
      isPrivate: false,
    })
  const [position] = views.positions({ address: 'bw1admin', viewer: null, limit: 1, offset: 0 }).rows
  step({ kind: 'burnPosition', sender: 'bw1admin', position: position?.id ?? '', liquidity: L })
  const ranges = () =>
    views
      .liquidityDistribution(PAIR.key)
      ?.map(({ tickLower, tickUpper, isActive }) => [tickLower, tickUpper, isActive])
  expect(ranges()).toEqual([
    [-1200, -600, false],
    [600, 1200, false],
  ])
  for (const { id } of views.positions({ address: ALICE, viewer: null, limit: 2, offset: 0 }).rows)
    step({ kind: 'burnPosition', sender: ALICE, position: id, liquidity: L })
  expect(ranges()).toEqual([])
})

test('the active range has the pool’s liquidity, and no more is behind all ranges than the pool holds', () => {
  const fixture = loadWorldFixture('tiny')
  const clock = createClock({ startMs: startMsOf(fixture) })
  const { views, mine } = createWorld({ fixture, seed: 7, random: createRandom(7), clock, accounts: [] })
  let ranges = 0
  for (let round = 0; round < 5; round++) {
    mine(10)
    for (const pool of views.pools({ limit: 100, offset: 0 }).rows) {
      const distribution = views.liquidityDistribution(pool.key) ?? []
      const active = distribution.filter(({ isActive }) => isActive)
      expect(active.reduce((sum, { liquidity }) => sum + liquidity, 0n)).toBe(pool.liquidity)
      expect(active.length).toBe(pool.liquidity > 0n ? 1 : 0)
      const [held0, held1] = [0, 1].map((side) =>
        distribution.reduce((sum, range) => sum + (side === 0 ? range.amount0 : range.amount1), 0n),
      )
      expect(held0).toBeLessThanOrEqual(pool.balance0)
      expect(held1).toBeLessThanOrEqual(pool.balance1)
      ranges += distribution.length
    }
  }
  expect(ranges).toBeGreaterThan(200)
})
