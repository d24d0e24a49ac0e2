import assert from 'node:assert/strict'
import { CurrencyAmount, Token } from '@uniswap/sdk-core'
import { Pool as SdkPool, TickListDataProvider } from '@uniswap/v3-sdk'
import { createPool, type Pool } from '../../simulator/amm/pool.ts'
import { fullRangeTicks, mint } from '../../simulator/amm/position.ts'
import { applySwap, computeSwap, FEE_PIPS_WHOLE } from '../../simulator/amm/swap.ts'
import { sqrtPriceX96AtTick } from '../../simulator/amm/tick-math.ts'
import { createRandom } from '../../simulator/random.ts'
import { spread } from './measuring.ts'

const ROUNDS = 7
const IN_RANGE_SWAPS = 20_000
const CROSSING_SWAPS = 3000
const CROSSED_TICKS = 20
const TIER = { feePips: 3000, tickSpacing: 60 }
/** A word of the contract's bitmap, 256 spacings from tick 0: a swap that leaves it takes a second step. */
const WORD = { tickLower: 0, tickUpper: 255 * TIER.tickSpacing }
/** A price of 2, in the middle of the word. */
const MIDDLE_TICK = 6932

type Order = { zeroForOne: boolean; amountSpecified: bigint; sqrtPriceLimitX96?: bigint }

/**
 * Swaps per second of processor time, which other work on the machine affects least, on one pool. They are a second apart, so that each
 * writes an observation, unlike with the SDK.
 */
export async function benchAmm({ print }: { print: (line: string) => void }): Promise<void> {
  const rounds: { inRange: number; limit: number; sdk: number; crossing: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = {
      inRange: swapsPerSecond(inRangePool(), inRangeOrders(IN_RANGE_SWAPS), 0),
      limit: arithmeticPerSecond(inRangePool(), inRangeOrders(IN_RANGE_SWAPS)),
      sdk: await sdkSwapsPerSecond(inRangePool(), inRangeOrders(IN_RANGE_SWAPS)),
      crossing: swapsPerSecond(steppedPool(), crossingOrders(CROSSING_SWAPS), CROSSED_TICKS),
    }
    if (round > 0) rounds.push(measured)
  }
  print(`AMM, per second of processor time, medians of ${ROUNDS} rounds (minimum to maximum):`)
  print(`  in range: ${spread(rounds.map(({ inRange }) => inRange))} swaps/s (target 1,000,000)`)
  print(`  limit, only their arithmetic on bigints: ${spread(rounds.map(({ limit }) => limit))} swaps/s`)
  print(`  ratio to the limit: ${spread(rounds.map(({ inRange, limit }) => inRange / limit))}`)
  print(`  @uniswap/v3-sdk, the same swaps: ${spread(rounds.map(({ sdk }) => sdk))} swaps/s`)
  print(`  ratio to the SDK: ${spread(rounds.map(({ inRange, sdk }) => inRange / sdk))} (target 7)`)
  print(
    `  crossing ${CROSSED_TICKS} ticks: ${spread(rounds.map(({ crossing }) => crossing))} swaps/s (target 25,000)`,
  )
}

export async function swapInRange(count: number): Promise<void> {
  swapsPerSecond(inRangePool(), inRangeOrders(count), 0)
}

export async function swapInRangeBySdk(count: number): Promise<void> {
  await swapBySdk(inRangePool(), inRangeOrders(count))
}

function swapsPerSecond(pool: Pool, orders: readonly Order[], crossings: number): number {
  let timeS = 0
  const before = process.cpuUsage()
  for (const order of orders) {
    const swap = computeSwap(pool, order)
    if (swap.crossed.length !== crossings) throw new Error(`crossed ${swap.crossed.length} ticks`)
    applySwap(pool, swap, timeS++)
  }
  return orders.length / cpuSecondsSince(before)
}

function arithmeticPerSecond(pool: Pool, orders: readonly Order[]): number {
  const before = process.cpuUsage()
  const end = swapByArithmetic(pool, orders, WORD)
  const perSecond = orders.length / cpuSecondsSince(before)
  // It is only a limit if both computed the same.
  let amountOut = 0n
  for (const order of orders) {
    const swap = computeSwap(pool, order)
    applySwap(pool, swap)
    amountOut = -(order.zeroForOne ? swap.amount1 : swap.amount0)
  }
  assert.deepEqual(end, {
    sqrtPriceX96: pool.sqrtPriceX96,
    growth0X128: pool.feeGrowthGlobal0X128,
    growth1X128: pool.feeGrowthGlobal1X128,
    amountOut,
  })
  return perSecond
}

async function sdkSwapsPerSecond(pool: Pool, orders: readonly Order[]): Promise<number> {
  const { sdkPool, perSecond } = await swapBySdk(pool, orders)
  // The ratio is only valid if both computed the same.
  for (const order of orders) applySwap(pool, computeSwap(pool, order))
  if (`${sdkPool.sqrtRatioX96}` !== `${pool.sqrtPriceX96}`) throw new Error('the SDK computed another price')
  return perSecond
}

async function swapBySdk(
  pool: Pool,
  orders: readonly Order[],
): Promise<{ sdkPool: SdkPool; perSecond: number }> {
  const tokens = [new Token(1, `0x${'1'.repeat(40)}`, 18), new Token(1, `0x${'2'.repeat(40)}`, 18)] as const
  const amounts = orders.map(({ zeroForOne, amountSpecified }) =>
    CurrencyAmount.fromRawAmount(tokens[zeroForOne ? 0 : 1], `${amountSpecified}`),
  )
  let sdkPool = toSdk(pool, tokens)
  const before = process.cpuUsage()
  for (const amount of amounts) [, sdkPool] = await sdkPool.getOutputAmount(amount)
  return { sdkPool, perSecond: orders.length / cpuSecondsSince(before) }
}

function cpuSecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function inRangePool(): Pool {
  return fullRangePool(MIDDLE_TICK)
}

function fullRangePool(tick: number): Pool {
  const pool = createPool({ ...TIER, sqrtPriceX96: sqrtPriceX96AtTick(tick) })
  mint(pool, { owner: 'lp', ...fullRangeTicks(TIER.tickSpacing) }, 10n ** 24n)
  return pool
}

/** Alternating swaps of equal value, so that the price moves by some ticks and stays in the word. */
function inRangeOrders(count: number): Order[] {
  const stream = createRandom(1).stream('orders')
  return Array.from({ length: count }, (_, index) => ({
    zeroForOne: index % 2 === 0,
    amountSpecified: stream.bigint(10n ** 18n, 10n ** 22n) * (index % 2 === 0 ? 1n : 2n),
  }))
}

/** Twenty adjacent positions from tick 0 upwards, plus one over the whole range. */
function steppedPool(): Pool {
  const pool = fullRangePool(0)
  for (let step = 1; step <= CROSSED_TICKS; step += 2) {
    const tickLower = step * TIER.tickSpacing
    mint(pool, { owner: 'lp', tickLower, tickUpper: tickLower + TIER.tickSpacing }, 10n ** 23n)
  }
  return pool
}

function crossingOrders(count: number): Order[] {
  const bottom = sqrtPriceX96AtTick(0)
  const top = sqrtPriceX96AtTick((CROSSED_TICKS + 1) * TIER.tickSpacing - 1)
  return Array.from({ length: count }, (_, index) => {
    const zeroForOne = index % 2 === 1
    return { zeroForOne, amountSpecified: 10n ** 30n, sqrtPriceLimitX96: zeroForOne ? bottom : top }
  })
}

function toSdk(pool: Pool, [token0, token1]: readonly [Token, Token]): SdkPool {
  const ticks = pool.ticks.ascending.map((index) => {
    const state = pool.ticks.byTick.get(index)
    return { index, liquidityGross: `${state?.liquidityGross}`, liquidityNet: `${state?.liquidityNet}` }
  })
  return new SdkPool(
    token0,
    token1,
    pool.feePips,
    `${pool.sqrtPriceX96}`,
    `${pool.liquidity}`,
    pool.tick,
    new TickListDataProvider(ticks, pool.tickSpacing),
  )
}

type ExactInput = { zeroForOne: boolean; amountSpecified: bigint }

/** The state after the swaps, and the amount paid out by the last one. */
type InRangeEnd = { sqrtPriceX96: bigint; growth0X128: bigint; growth1X128: bigint; amountOut: bigint }

/**
 * The least arithmetic on bigints that gives what a swap of exact input changes: fee, new price, both amounts, fee growth. The limit for
 * the AMM, so it has no ticks, observations or objects. Throws if a swap ends outside the two ticks: it would need a second step.
 */
function swapByArithmetic(
  pool: Pool,
  orders: readonly ExactInput[],
  { tickLower, tickUpper }: { tickLower: number; tickUpper: number },
): InRangeEnd {
  const lowestX96 = sqrtPriceX96AtTick(tickLower)
  const highestX96 = sqrtPriceX96AtTick(tickUpper)
  const { liquidity } = pool
  const liquidityX96 = liquidity << 96n
  const pipsLessFee = FEE_PIPS_WHOLE - BigInt(pool.feePips)
  let { sqrtPriceX96, feeGrowthGlobal0X128: growth0X128, feeGrowthGlobal1X128: growth1X128 } = pool
  let amountOut = 0n
  for (const { zeroForOne, amountSpecified } of orders) {
    const amount = (amountSpecified * pipsLessFee) / FEE_PIPS_WHOLE
    if (zeroForOne) {
      const nextX96 = divideUp(liquidityX96 * sqrtPriceX96, liquidityX96 + amount * sqrtPriceX96)
      if (nextX96 <= lowestX96) throw new RangeError('the price left the range')
      const amountX96 = liquidity * (sqrtPriceX96 - nextX96)
      amountOut = amountX96 >> 96n
      const fee = amountSpecified - divideUp(amountX96 << 96n, sqrtPriceX96 * nextX96)
      growth0X128 += (fee << 128n) / liquidity
      sqrtPriceX96 = nextX96
    } else {
      const nextX96 = sqrtPriceX96 + (amount << 96n) / liquidity
      if (nextX96 >= highestX96) throw new RangeError('the price left the range')
      const amountX96 = liquidity * (nextX96 - sqrtPriceX96)
      amountOut = (amountX96 << 96n) / (sqrtPriceX96 * nextX96)
      const fee = amountSpecified - (((amountX96 - 1n) >> 96n) + 1n)
      growth1X128 += (fee << 128n) / liquidity
      sqrtPriceX96 = nextX96
    }
  }
  return { sqrtPriceX96, growth0X128, growth1X128, amountOut }
}

/** For numerators above 0. */
function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator - 1n) / denominator + 1n
}
