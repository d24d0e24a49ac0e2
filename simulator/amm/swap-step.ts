import { mulDiv } from './full-math.ts'
import {
  amount0Delta,
  amount1Delta,
  nextSqrtPriceFromInput,
  nextSqrtPriceFromOutput,
} from './sqrt-price-math.ts'

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
