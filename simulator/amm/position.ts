import { AmmError } from './amm-error.ts'
import { INT128_MAX, mulShift, type Rounding, UINT128_MAX, wrap128, wrap256 } from './full-math.ts'
import { observeAt, observedTimeS, writeObservation } from './oracle.ts'
import type { Pool } from './pool.ts'
import { amount0Delta, amount1Delta } from './sqrt-price-math.ts'
import { changedTick, deleteTick, type FeeGrowth, feeGrowthInside, setTick, type TickState } from './tick.ts'
import { requireTicks, sqrtPriceX96AtTick, TICK_MAX } from './tick-math.ts'

export type Position = {
  liquidity: bigint
  feeGrowthInside0LastX128: bigint
  feeGrowthInside1LastX128: bigint
  /** Uncollected withdrawals and fees. They wrap at 128 bits. */
  tokensOwed0: bigint
  tokensOwed1: bigint
}

export type PositionRange = { owner: string; tickLower: number; tickUpper: number }
export type Amounts = { amount0: bigint; amount1: bigint }

/** Adds liquidity; returns the amounts to pay, rounded up (UniswapV3Pool.mint). */
export function mint(pool: Pool, range: PositionRange, liquidity: bigint, timeS?: number): Amounts {
  if (liquidity <= 0n) throw new AmmError('LS')
  if (liquidity > INT128_MAX) throw new AmmError('overflow')
  requireTicks(range)
  // Before the change, which may throw; the price is the same.
  const amounts = amountsBehind(pool, range, liquidity, 'up')
  changeLiquidity(pool, range, liquidity, timeS)
  return amounts
}

/** Removes liquidity; its amounts, rounded down, are owed to the position (UniswapV3Pool.burn). 0: updates fees only. */
export function burn(pool: Pool, range: PositionRange, liquidity: bigint, timeS?: number): Amounts {
  if (liquidity < 0n) throw new AmmError('LS')
  if (liquidity > INT128_MAX) throw new AmmError('overflow')
  requireTicks(range)
  const position = liquidity > 0n ? changeLiquidity(pool, range, -liquidity, timeS) : poke(pool, range)
  const amounts = amountsBehind(pool, range, liquidity, 'down')
  owe(position, amounts)
  return amounts
}

/** Token amounts of liquidity at the pool's price: whitepaper (6.29), (6.30). */
export function amountsBehind(
  pool: Pool,
  range: PositionRange,
  liquidity: bigint,
  rounding: Rounding,
): Amounts {
  const lowerX96 = sqrtPriceX96AtTick(range.tickLower)
  const upperX96 = sqrtPriceX96AtTick(range.tickUpper)
  const priceX96 = pool.sqrtPriceX96
  if (pool.tick < range.tickLower)
    return { amount0: amount0Delta(lowerX96, upperX96, liquidity, rounding), amount1: 0n }
  if (pool.tick >= range.tickUpper)
    return { amount0: 0n, amount1: amount1Delta(lowerX96, upperX96, liquidity, rounding) }
  return {
    amount0: amount0Delta(priceX96, upperX96, liquidity, rounding),
    amount1: amount1Delta(lowerX96, priceX96, liquidity, rounding),
  }
}

export function fullRangeTicks(tickSpacing: number): { tickLower: number; tickUpper: number } {
  const tickUpper = Math.floor(TICK_MAX / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}

/** Whitepaper 6.4.1: the sum over all ticks fits 128 bits (Tick.tickSpacingToMaxLiquidityPerTick). */
export function liquidityPerTickMax(tickSpacing: number): bigint {
  const { tickLower, tickUpper } = fullRangeTicks(tickSpacing)
  return UINT128_MAX / BigInt((tickUpper - tickLower) / tickSpacing + 1)
}

export function positionKey({ owner, tickLower, tickUpper }: PositionRange): string {
  return `${owner}/${tickLower}/${tickUpper}`
}

/** UniswapV3Pool._updatePosition. Throws only before the first change. */
function changeLiquidity(
  pool: Pool,
  range: PositionRange,
  delta: bigint,
  timeS = observedTimeS(pool.oracle),
): Position {
  const { tickLower, tickUpper } = range
  const key = positionKey(range)
  const position = pool.positions.get(key) ?? emptyPosition()
  const present = { timeS, tick: pool.tick, liquidity: pool.liquidity }
  const now = { timeS, ...observeAt(pool.oracle, present, 0) }
  const liquidityMax = liquidityPerTickMax(pool.tickSpacing)
  const lower = changedTick(pool, tickLower, { gross: delta, net: delta, liquidityMax }, now)
  const upper = changedTick(pool, tickUpper, { gross: delta, net: -delta, liquidityMax }, now)
  if (tickLower % pool.tickSpacing !== 0 || tickUpper % pool.tickSpacing !== 0) throw new AmmError('T')
  if (position.liquidity + delta < 0n) throw new AmmError('LS')
  const inRange = pool.tick >= tickLower && pool.tick < tickUpper
  if (inRange && pool.liquidity + delta > UINT128_MAX) throw new AmmError('LA')

  creditFees(position, feeGrowthInside(pool, range, lower, upper))
  position.liquidity += delta
  pool.positions.set(key, position)
  storeTick(pool, tickLower, lower)
  storeTick(pool, tickUpper, upper)
  if (inRange) {
    writeObservation(pool.oracle, present)
    pool.liquidity += delta
  }
  return position
}

/** Moves accrued fees to tokens owed. */
function poke(pool: Pool, range: PositionRange): Position {
  const position = pool.positions.get(positionKey(range))
  const lower = pool.ticks.byTick.get(range.tickLower)
  const upper = pool.ticks.byTick.get(range.tickUpper)
  if (!position || position.liquidity === 0n || !lower || !upper) throw new AmmError('NP')
  creditFees(position, feeGrowthInside(pool, range, lower, upper))
  return position
}

function emptyPosition(): Position {
  return {
    liquidity: 0n,
    feeGrowthInside0LastX128: 0n,
    feeGrowthInside1LastX128: 0n,
    tokensOwed0: 0n,
    tokensOwed1: 0n,
  }
}

function storeTick(pool: Pool, tick: number, state: TickState): void {
  if (state.liquidityGross === 0n) deleteTick(pool.ticks, tick)
  else setTick(pool.ticks, tick, state)
}

/** Position.update: credits the fees since the last update on the current liquidity. */
function creditFees(position: Position, { inside0X128, inside1X128 }: FeeGrowth): void {
  const { liquidity } = position
  const growth0X128 = wrap256(inside0X128 - position.feeGrowthInside0LastX128)
  const growth1X128 = wrap256(inside1X128 - position.feeGrowthInside1LastX128)
  owe(position, {
    amount0: mulShift(growth0X128, liquidity, 128n, 'down'),
    amount1: mulShift(growth1X128, liquidity, 128n, 'down'),
  })
  position.feeGrowthInside0LastX128 = inside0X128
  position.feeGrowthInside1LastX128 = inside1X128
}

function owe(position: Position, { amount0, amount1 }: Amounts): void {
  position.tokensOwed0 = wrap128(position.tokensOwed0 + amount0)
  position.tokensOwed1 = wrap128(position.tokensOwed1 + amount1)
}
