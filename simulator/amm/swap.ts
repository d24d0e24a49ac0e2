import { AmmError } from './amm-error.ts'
import { INT256_MAX, INT256_MIN, mulDiv, shiftDiv, UINT128_MAX, wrap128, wrap256 } from './full-math.ts'
import { type Observation, observeAt, observedTimeS, writeObservation } from './oracle.ts'
import type { Pool } from './pool.ts'
import {
  amount0Delta,
  amount1Delta,
  nextSqrtPriceFromInput,
  nextSqrtPriceFromOutput,
} from './sqrt-price-math.ts'
import { crossTick, nextTickWithinWord } from './tick.ts'
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  sqrtPriceX96AtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtPriceX96,
} from './tick-math.ts'

export type SwapOptions = {
  zeroForOne: boolean
  /** Positive: exact input. Negative: exact output. */
  amountSpecified: bigint
  /** Stops the swap, filled or not; default: the end of the price range. */
  sqrtPriceLimitX96?: bigint
}

export type Swap = {
  zeroForOne: boolean
  /** The pool's gain (positive) or payment (negative). */
  amount0: bigint
  amount1: bigint
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  /** Fee growth of the input token, and the protocol's share of its fees. */
  feeGrowthGlobalX128: bigint
  protocolFee: bigint
  /** Initialized ticks crossed, in order, each with the fee growth at that moment. */
  crossed: readonly { tick: number; feeGrowthGlobalX128: bigint }[]
}

/**
 * Computes a swap without changing the pool (UniswapV3Pool.swap; whitepaper 6.2), for quotes and execution; applySwap applies it.
 * Throws AmmError AS, SPL, overflow.
 */
export function computeSwap(pool: Pool, options: SwapOptions): Swap {
  const { zeroForOne, amountSpecified } = options
  const limitX96 =
    options.sqrtPriceLimitX96 ?? (zeroForOne ? SQRT_PRICE_X96_MIN + 1n : SQRT_PRICE_X96_MAX - 1n)
  if (amountSpecified === 0n) throw new AmmError('AS')
  if (amountSpecified > INT256_MAX || amountSpecified < INT256_MIN) throw new AmmError('overflow')
  requireLimit(pool.sqrtPriceX96, limitX96, zeroForOne)

  const feePips = BigInt(pool.feePips)
  const feeProtocol = BigInt(zeroForOne ? pool.feeProtocol0 : pool.feeProtocol1)
  const exactIn = amountSpecified > 0n
  let amountRemaining = amountSpecified
  let amountCalculated = 0n
  let { sqrtPriceX96, tick, liquidity } = pool
  let feeGrowthGlobalX128 = zeroForOne ? pool.feeGrowthGlobal0X128 : pool.feeGrowthGlobal1X128
  let protocolFee = 0n
  const crossed: { tick: number; feeGrowthGlobalX128: bigint }[] = []

  while (amountRemaining !== 0n && sqrtPriceX96 !== limitX96) {
    const next = nextTickWithinWord(pool.ticks, tick, pool.tickSpacing, zeroForOne ? 'down' : 'up')
    const nextTick = Math.min(TICK_MAX, Math.max(TICK_MIN, next.tick))
    const nextTickPriceX96 = sqrtPriceX96AtTick(nextTick)
    const limited = zeroForOne ? nextTickPriceX96 < limitX96 : nextTickPriceX96 > limitX96
    const step = computeSwapStep({
      sqrtPriceX96,
      sqrtPriceTargetX96: limited ? limitX96 : nextTickPriceX96,
      liquidity,
      amountRemaining,
      feePips,
    })
    const amountPaid = step.amountIn + step.feeAmount
    amountRemaining += exactIn ? -amountPaid : step.amountOut
    amountCalculated += exactIn ? -step.amountOut : amountPaid
    let { feeAmount } = step
    if (feeProtocol > 0n) {
      const share = feeAmount / feeProtocol
      feeAmount -= share
      protocolFee += share
    }
    if (liquidity > 0n) {
      feeGrowthGlobalX128 = wrap256(feeGrowthGlobalX128 + shiftDiv(feeAmount, 128n, liquidity, 'down'))
    }

    if (step.sqrtPriceNextX96 === nextTickPriceX96) {
      if (next.initialized) {
        crossed.push({ tick: nextTick, feeGrowthGlobalX128 })
        liquidity = liquidityBeyond(pool, nextTick, liquidity, zeroForOne)
      }
      // At a tick's exact price the current tick is that tick going up, the one below it going down.
      tick = zeroForOne ? nextTick - 1 : nextTick
    } else if (step.sqrtPriceNextX96 !== sqrtPriceX96) {
      tick = tickAtSqrtPriceX96(step.sqrtPriceNextX96)
    }
    sqrtPriceX96 = step.sqrtPriceNextX96
  }

  const amountUsed = amountSpecified - amountRemaining
  const [amount0, amount1] =
    zeroForOne === exactIn ? [amountUsed, amountCalculated] : [amountCalculated, amountUsed]
  return {
    zeroForOne,
    amount0,
    amount1,
    sqrtPriceX96,
    tick,
    liquidity,
    feeGrowthGlobalX128,
    protocolFee,
    crossed,
  }
}

/** Applies a computed swap; the pool must not have changed since. */
export function applySwap(pool: Pool, swap: Swap, timeS = observedTimeS(pool.oracle)): void {
  const present = { timeS, tick: pool.tick, liquidity: pool.liquidity }
  if (swap.crossed.length > 0) crossTicks(pool, swap, { timeS, ...observeAt(pool.oracle, present, 0) })
  if (swap.tick !== pool.tick) writeObservation(pool.oracle, present)
  pool.sqrtPriceX96 = swap.sqrtPriceX96
  pool.tick = swap.tick
  pool.liquidity = swap.liquidity
  if (swap.zeroForOne) {
    pool.feeGrowthGlobal0X128 = swap.feeGrowthGlobalX128
    pool.protocolFees0 = wrap128(pool.protocolFees0 + swap.protocolFee)
  } else {
    pool.feeGrowthGlobal1X128 = swap.feeGrowthGlobalX128
    pool.protocolFees1 = wrap128(pool.protocolFees1 + swap.protocolFee)
  }
}

function requireLimit(sqrtPriceX96: bigint, limitX96: bigint, zeroForOne: boolean): void {
  const allowed = zeroForOne
    ? limitX96 < sqrtPriceX96 && limitX96 > SQRT_PRICE_X96_MIN
    : limitX96 > sqrtPriceX96 && limitX96 < SQRT_PRICE_X96_MAX
  if (!allowed) throw new AmmError('SPL')
}

/** Whitepaper 6.2.3: crossing upwards adds the tick's net liquidity, downwards subtracts it. */
function liquidityBeyond(pool: Pool, tick: number, liquidity: bigint, zeroForOne: boolean): bigint {
  const net = pool.ticks.byTick.get(tick)?.liquidityNet ?? 0n
  const beyond = zeroForOne ? liquidity - net : liquidity + net
  if (beyond < 0n) throw new AmmError('LS')
  if (beyond > UINT128_MAX) throw new AmmError('LA')
  return beyond
}

/** Crosses every tick of a swap at the same moment: only fee growth differs between them. */
function crossTicks(pool: Pool, { zeroForOne, crossed }: Swap, now: Observation): void {
  for (const { tick, feeGrowthGlobalX128 } of crossed) {
    const state = pool.ticks.byTick.get(tick)
    if (!state) throw new RangeError(`a swap crossed tick ${tick}, which is not initialized`)
    const global0X128 = zeroForOne ? feeGrowthGlobalX128 : pool.feeGrowthGlobal0X128
    const global1X128 = zeroForOne ? pool.feeGrowthGlobal1X128 : feeGrowthGlobalX128
    crossTick(state, { global0X128, global1X128 }, now)
  }
}

/** Fees are in hundredths of a basis point: 3000 is 0.3%. */
export const FEE_PIPS_WHOLE = 1_000_000n

export type SwapStepInput = {
  sqrtPriceX96: bigint
  /** Price at which the step ends at the latest; its side determines the direction. */
  sqrtPriceTargetX96: bigint
  liquidity: bigint
  /** Positive: input left to pay, fee included. Negative: output left to receive. */
  amountRemaining: bigint
  feePips: bigint
}

export type SwapStep = { sqrtPriceNextX96: bigint; amountIn: bigint; amountOut: bigint; feeAmount: bigint }

/**
 * Computes one step at constant liquidity (whitepaper 6.2.3, SwapMath.computeSwapStep): moves the price to the target, or as far
 * as the amount allows. All rounding favors the pool.
 */
export function computeSwapStep(step: SwapStepInput): SwapStep {
  return step.amountRemaining >= 0n ? stepExactIn(step) : stepExactOut(step)
}

function stepExactIn(step: SwapStepInput): SwapStep {
  const { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, feePips } = step
  const zeroForOne = sqrtPriceX96 >= sqrtPriceTargetX96
  const amount = mulDiv(amountRemaining, FEE_PIPS_WHOLE - feePips, FEE_PIPS_WHOLE, 'down')
  const sqrtPriceNextX96 = reachesTarget(step, amount)
    ? sqrtPriceTargetX96
    : nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne })
  const amountIn = inputBetween(sqrtPriceX96, sqrtPriceNextX96, liquidity, zeroForOne)
  return {
    sqrtPriceNextX96,
    amountIn,
    amountOut: outputBetween(sqrtPriceX96, sqrtPriceNextX96, liquidity, zeroForOne),
    // Short of the target the whole rest is spent: whatever the price move did not use is fee.
    feeAmount:
      sqrtPriceNextX96 === sqrtPriceTargetX96 ? feeOn(amountIn, feePips) : amountRemaining - amountIn,
  }
}

function stepExactOut(step: SwapStepInput): SwapStep {
  const { sqrtPriceX96, sqrtPriceTargetX96, liquidity, feePips } = step
  const zeroForOne = sqrtPriceX96 >= sqrtPriceTargetX96
  const amountWanted = -step.amountRemaining
  const amountOutToTarget = outputBetween(sqrtPriceX96, sqrtPriceTargetX96, liquidity, zeroForOne)
  const sqrtPriceNextX96 =
    amountWanted >= amountOutToTarget
      ? sqrtPriceTargetX96
      : nextSqrtPriceFromOutput({ sqrtPriceX96, liquidity, amount: amountWanted, zeroForOne })
  const amountIn = inputBetween(sqrtPriceX96, sqrtPriceNextX96, liquidity, zeroForOne)
  const amountOut =
    sqrtPriceNextX96 === sqrtPriceTargetX96
      ? amountOutToTarget
      : outputBetween(sqrtPriceX96, sqrtPriceNextX96, liquidity, zeroForOne)
  return {
    sqrtPriceNextX96,
    amountIn,
    // Rounding may move the price too far; the trader gets no more than requested.
    amountOut: amountOut - amountWanted > 0n ? amountWanted : amountOut,
    feeAmount: feeOn(amountIn, feePips),
  }
}

/** amount >= inputBetween(price, target), multiplied out, because most steps end before the target and then need no division. */
function reachesTarget(step: SwapStepInput, amount: bigint): boolean {
  const { sqrtPriceX96, sqrtPriceTargetX96, liquidity } = step
  const distance = sqrtPriceX96 - sqrtPriceTargetX96
  return distance >= 0n
    ? amount * sqrtPriceX96 * sqrtPriceTargetX96 >= (liquidity * distance) << 96n
    : amount << 96n >= -liquidity * distance
}

function inputBetween(fromX96: bigint, toX96: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne
    ? amount0Delta(toX96, fromX96, liquidity, 'up')
    : amount1Delta(fromX96, toX96, liquidity, 'up')
}

function outputBetween(fromX96: bigint, toX96: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne
    ? amount1Delta(toX96, fromX96, liquidity, 'down')
    : amount0Delta(fromX96, toX96, liquidity, 'down')
}

function feeOn(amountIn: bigint, feePips: bigint): bigint {
  return mulDiv(amountIn, feePips, FEE_PIPS_WHOLE - feePips, 'up')
}
