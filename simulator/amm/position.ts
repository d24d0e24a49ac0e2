import { AmmError } from './amm-error.ts'
import { mulDiv, Q128, type Rounding, UINT128_MAX, wrap256 } from './full-math.ts'
import type { Pool } from './pool.ts'
import { amount0Delta, amount1Delta } from './sqrt-price-math.ts'
import { deleteTick, setTick, type TickState } from './tick-map.ts'
import { sqrtPriceX96AtTick, TICK_MAX, TICK_MIN } from './tick-math.ts'

export type Position = {
  liquidity: bigint
  feeGrowthInside0LastX128: bigint
  feeGrowthInside1LastX128: bigint
  /** Withdrawn liquidity and fees, until collected. */
  tokensOwed0: bigint
  tokensOwed1: bigint
}

export type PositionRange = { owner: string; tickLower: number; tickUpper: number }
export type Amounts = { amount0: bigint; amount1: bigint }

/** Adds liquidity; returns what the pool must be paid, rounded up (UniswapV3Pool.mint). */
export function mint(pool: Pool, range: PositionRange, liquidity: bigint): Amounts {
  if (liquidity <= 0n) throw new AmmError('LS')
  requireTicks(range)
  const amounts = amountsBehind(pool, range, liquidity, 'up')
  changeLiquidity(pool, range, liquidity)
  return amounts
}

/** Takes liquidity away; what it is worth, rounded down, is owed to the position (UniswapV3Pool.burn). 0: only fees. */
export function burn(pool: Pool, range: PositionRange, liquidity: bigint): Amounts {
  if (liquidity < 0n) throw new AmmError('LS')
  const position = changeLiquidity(pool, range, -liquidity)
  const amounts = amountsBehind(pool, range, liquidity, 'down')
  position.tokensOwed0 += amounts.amount0
  position.tokensOwed1 += amounts.amount1
  return amounts
}

/** The tokens behind liquidity at the pool's price: whitepaper (6.29), (6.30). */
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

/** The ticks of a position over the whole range of prices. */
export function fullRangeTicks(tickSpacing: number): { tickLower: number; tickUpper: number } {
  const tickUpper = Math.floor(TICK_MAX / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}

/** Whitepaper 6.4.1: all positions together fit 128 bits (Tick.tickSpacingToMaxLiquidityPerTick). */
export function liquidityPerTickMax(tickSpacing: number): bigint {
  const { tickLower, tickUpper } = fullRangeTicks(tickSpacing)
  return UINT128_MAX / BigInt((tickUpper - tickLower) / tickSpacing + 1)
}

export function positionKey({ owner, tickLower, tickUpper }: PositionRange): string {
  return `${owner}/${tickLower}/${tickUpper}`
}

/** UniswapV3Pool._updatePosition. Everything that can refuse does so before anything changes. */
function changeLiquidity(pool: Pool, range: PositionRange, delta: bigint): Position {
  const { tickLower, tickUpper } = range
  requireTicks(range)
  const key = positionKey(range)
  const position = pool.positions.get(key) ?? emptyPosition()
  if (delta === 0n && position.liquidity === 0n) throw new AmmError('NP')
  if (position.liquidity + delta < 0n) throw new AmmError('LS')
  const inRange = pool.tick >= tickLower && pool.tick < tickUpper
  if (inRange && pool.liquidity + delta > UINT128_MAX) throw new AmmError('LA')
  const lower = changedTick(pool, tickLower, delta, delta)
  const upper = changedTick(pool, tickUpper, delta, -delta)

  creditFees(position, feeGrowthInside(pool, range, lower, upper))
  position.liquidity += delta
  pool.positions.set(key, position)
  storeTick(pool, tickLower, lower)
  storeTick(pool, tickUpper, upper)
  if (inRange) pool.liquidity += delta
  return position
}

function requireTicks({ tickLower, tickUpper }: PositionRange): void {
  if (tickLower >= tickUpper) throw new AmmError('TLU')
  if (tickLower < TICK_MIN) throw new AmmError('TLM')
  if (tickUpper > TICK_MAX) throw new AmmError('TUM')
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

/** A tick as it will be (Tick.update). By convention all growth before it was initialised happened below it. */
function changedTick(pool: Pool, tick: number, grossDelta: bigint, netDelta: bigint): TickState {
  if (tick % pool.tickSpacing !== 0) throw new AmmError('T')
  const before = pool.ticks.byTick.get(tick)
  const liquidityGross = (before?.liquidityGross ?? 0n) + grossDelta
  if (liquidityGross > liquidityPerTickMax(pool.tickSpacing)) throw new AmmError('LO')
  const liquidityNet = (before?.liquidityNet ?? 0n) + netDelta
  if (before) return { ...before, liquidityGross, liquidityNet }
  const below = tick <= pool.tick
  return {
    liquidityGross,
    liquidityNet,
    feeGrowthOutside0X128: below ? pool.feeGrowthGlobal0X128 : 0n,
    feeGrowthOutside1X128: below ? pool.feeGrowthGlobal1X128 : 0n,
  }
}

function storeTick(pool: Pool, tick: number, state: TickState): void {
  if (state.liquidityGross === 0n) deleteTick(pool.ticks, tick)
  else setTick(pool.ticks, tick, state)
}

type FeeGrowth = { inside0X128: bigint; inside1X128: bigint }

/** Whitepaper (6.17) to (6.19): inside is all growth less what happened below and above. */
function feeGrowthInside(pool: Pool, range: PositionRange, lower: TickState, upper: TickState): FeeGrowth {
  const inside = (globalX128: bigint, lowerOutsideX128: bigint, upperOutsideX128: bigint): bigint => {
    const belowX128 = pool.tick >= range.tickLower ? lowerOutsideX128 : globalX128 - lowerOutsideX128
    const aboveX128 = pool.tick < range.tickUpper ? upperOutsideX128 : globalX128 - upperOutsideX128
    return wrap256(globalX128 - belowX128 - aboveX128)
  }
  return {
    inside0X128: inside(pool.feeGrowthGlobal0X128, lower.feeGrowthOutside0X128, upper.feeGrowthOutside0X128),
    inside1X128: inside(pool.feeGrowthGlobal1X128, lower.feeGrowthOutside1X128, upper.feeGrowthOutside1X128),
  }
}

/** Position.update: the fees since the last look, for the liquidity held until now. */
function creditFees(position: Position, { inside0X128, inside1X128 }: FeeGrowth): void {
  const { liquidity } = position
  position.tokensOwed0 += mulDiv(
    wrap256(inside0X128 - position.feeGrowthInside0LastX128),
    liquidity,
    Q128,
    'down',
  )
  position.tokensOwed1 += mulDiv(
    wrap256(inside1X128 - position.feeGrowthInside1LastX128),
    liquidity,
    Q128,
    'down',
  )
  position.feeGrowthInside0LastX128 = inside0X128
  position.feeGrowthInside1LastX128 = inside1X128
}
