import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeSwap } from '../../amm/swap.ts'
import { sqrtPriceX96AtTick } from '../../amm/tick-math.ts'
import { ALICE, swapTransaction } from '../../chain/test-chain.ts'
import { createClock } from '../../clock.ts'
import { createRandom } from '../../random.ts'
import { createWorld } from '../../world/world.ts'
import { loadWorldFixture, parseStartMs } from '../../world-fixture.ts'
import { createTestIndex, PAIR, type TestIndex, TO_A_HALF } from '../test-index.ts'
import { bestPrices, type OrderBook, orderBook } from './order-book.ts'

const L = 10n ** 12n

function buildBook({ views }: TestIndex, levelsPerSide: number): OrderBook {
  const [pool, ranges] = [views.pool(PAIR.key), views.liquidityDistribution(PAIR.key)]
  if (!pool || !ranges) throw new Error('the test index has this pool')
  return orderBook(pool, ranges, { levelsPerSide })
}

const createIndex = () => createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
const mintTransaction = (tickLower: number, tickUpper: number, liquidity: bigint) =>
  ({
    kind: 'mintPosition',
    sender: ALICE,
    pool: PAIR.key,
    tickLower,
    tickUpper,
    liquidity,
    isPrivate: false,
  }) as const

test('the first levels around a price of one, by hand', () => {
  // Liquidity 10^12 at √P = 1, spacing 60: up to 1.0001^30 are 10^12 × (1 - 1.0001^-30) of token0, at 1.0001^30
  // ÷ 0.997.
  const { bids, asks } = buildBook(createIndex(), 2)
  expect(asks[0]).toMatchObject({ amount0: 2_995_354_955n, price: '1.006022421326722091' })
  expect(bids[0]).toMatchObject({ amount1: 2_995_354_955n, price: '0.994013631108956951' })
  expect(asks[1]?.amount0).toBe(2_986_382_804n)
})

test('levels get worse from the best on, and continue at the next liquidity', () => {
  const index = createIndex()
  index.step(mintTransaction(-1200, -600, L), mintTransaction(600, 1200, 5n * L))
  index.step(swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn))
  const { bids, asks } = buildBook(index, 400)
  const parsePrice = ({ price }: { price: string }) => Number(price)
  expect([bids.length, asks.length]).toEqual([400, 400])
  expect(asks.map(parsePrice)).toEqual(asks.map(parsePrice).sort((a, b) => a - b))
  expect(bids.map(parsePrice)).toEqual(bids.map(parsePrice).sort((a, b) => b - a))
  expect(parsePrice(asks[0] as { price: string })).toBeGreaterThan(parsePrice(bids[0] as { price: string }))
})

test('a pool without liquidity has an empty book, one with liquidity on one side only that side', () => {
  const index = createIndex()
  const pool = index.views.pool(PAIR.key)
  if (!pool) throw new Error('the test index has this pool')
  expect(orderBook(pool, [], { levelsPerSide: 5 })).toEqual({ bids: [], asks: [] })
  expect(bestPrices({ ...pool, liquidity: 0n })).toEqual({ bid: null, ask: null })
  const above = orderBook(pool, [{ tickLower: 600, tickUpper: 720, liquidity: L }], { levelsPerSide: 5 })
  expect([above.bids.length, above.asks.length]).toEqual([0, 2])
})

test('a range ends at levels worth less than a base unit', () => {
  const pool = createIndex().views.pool(PAIR.key)
  if (!pool) throw new Error('the test index has this pool')
  let steps = 0
  const counted = {
    ...pool,
    get feePips() {
      steps++
      return pool.feePips
    },
  }
  // 334 × (1 - 1.0001^-30) = 1.0004, and less than 1 one step further.
  const whole = { tickLower: -887_220, tickUpper: 887_220 }
  const book = orderBook(counted, [{ ...whole, liquidity: 334n }], { levelsPerSide: 5 })
  expect([book.asks, book.bids].map((levels) => levels.map(({ price }) => price))).toEqual([
    ['1.006022421326722091'],
    ['0.994013631108956951'],
  ])
  expect(steps).toBe(6)
  const near = { tickLower: -60, tickUpper: 60, liquidity: 1n }
  const above = { tickLower: 60, tickUpper: 120, liquidity: L }
  expect(orderBook(pool, [near, above], { levelsPerSide: 5 }).asks).toMatchObject([
    { amount0: 2_986_382_804n },
  ])
})

test('the best prices at either end of the price range', () => {
  const pool = createIndex().views.pool(PAIR.key)
  if (!pool) throw new Error('the test index has this pool')
  const bestAt = (tick: number) => bestPrices({ ...pool, tick, sqrtPriceX96: sqrtPriceX96AtTick(tick) })
  expect(bestAt(-887_220)).toEqual({ bid: null, ask: expect.stringMatching(/^0\.0{38}297/) })
  expect(bestAt(887_220)).toEqual({ bid: expect.stringMatching(/^33\d{37}\./), ask: null })
})

test.each([0n, 5_000_000_000n])('the best prices equal those of the book, after a swap of %s', (amountIn) => {
  const index = createIndex()
  index.step(mintTransaction(-600, 600, L))
  if (amountIn > 0n) index.step(swapTransaction([PAIR.token0, PAIR.token1], amountIn))
  const { bids, asks } = buildBook(index, 1)
  const pool = index.views.pool(PAIR.key)
  expect(pool && bestPrices(pool)).toEqual({ bid: bids[0]?.price, ask: asks[0]?.price })
})

test('a trade through the first levels gets and pays their sums', () => {
  const tick = fc.integer({ min: -40, max: 40 }).map((place) => place * 60)
  const position = fc.record({ a: tick, b: tick, liquidity: fc.bigInt(1n, 10n ** 13n) })
  const start = fc.bigInt(1n, 10n ** 12n)
  fc.assert(
    fc.property(
      fc.array(position, { maxLength: 4 }),
      start,
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      (positions, amountIn, isBuy, count) => {
        const index = createIndex()
        for (const { a, b, liquidity } of positions) {
          if (a !== b) index.step(mintTransaction(Math.min(a, b), Math.max(a, b), liquidity))
        }
        index.step(swapTransaction([PAIR.token0, PAIR.token1], amountIn))
        const book = buildBook(index, count)
        const levels = isBuy ? book.asks : book.bids
        const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
        const amount0 = sum(levels.map((level) => level.amount0))
        const amount1 = sum(levels.map((level) => level.amount1))
        const amm = index.chain.state.pools.get(PAIR.key)?.amm
        if (!amm) throw new Error('the chain has this pool')
        const traded = computeSwap(amm, { zeroForOne: !isBuy, amountSpecified: isBuy ? amount1 : amount0 })
        const got = isBuy ? -traded.amount0 : -traded.amount1
        const promised = isBuy ? amount0 : amount1
        // Each level rounds in favor of the pool: one base unit in and one out.
        const price = Number(levels.at(-1)?.price ?? 1)
        const slack = BigInt(Math.ceil(levels.length * (2 + (isBuy ? 1 / price : price))))
        expect(got >= promised && got - promised <= slack).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
})

describe('liquidity distribution', () => {
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
    const below = {
      tickLower: -887_220,
      tickUpper: -600,
      liquidity: L,
      amount0: 0n,
      amount1: 970_446_989_120n,
    }
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

  test('omits a gap between two positions, and an empty pool', () => {
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

  test('the active range has the pool’s liquidity, and all ranges together have no more than the pool', () => {
    const fixture = loadWorldFixture('tiny')
    const clock = createClock({ startMs: parseStartMs(fixture) })
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
})
