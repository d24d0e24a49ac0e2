import type { Pool } from '../../amm/pool.ts'
import { FEE_PIPS_WHOLE } from '../../amm/swap.ts'
import { countUpTo } from '../../amm/tick.ts'
import { sqrtPriceX96AtTick } from '../../amm/tick-math.ts'

/**
 * Upper bounds on swap outputs in floats, about twenty times as fast as the exact quote. computeSwap always rounds in
 * the pool's favor, so that the same swap in real numbers gives at least as much. These sums only add and multiply
 * positive numbers (the difference of two prices is an integer), so each range of liquidity is off by a dozen roundings
 * of 2^-53. The margin is ten times that.
 */
const MARGIN_PER_RANGE = 2 ** -46
const Q96 = 2 ** 96
const PIPS = Number(FEE_PIPS_WHOLE)

/** Bound for `amountIn` or less (base units): an integer that no exact quote exceeds. */
export function outputBoundUpTo(pool: Pool, zeroForOne: boolean, amountIn: number): number {
  return outputBound(pool, zeroForOne, amountIn, Number.POSITIVE_INFINITY)
}

/**
 * Bound for all of `amountIn`; 0 if the pool surely does not take that much. Each step of a swap takes up to two units
 * more than in real numbers; there are at most as many steps as words of the bitmap, 2^13, and initialized ticks.
 */
export function outputBoundAt(pool: Pool, zeroForOne: boolean, amountIn: number): number {
  return outputBound(pool, zeroForOne, amountIn, 2 * (2 ** 13 + pool.ticks.ascending.length))
}

/**
 * y in gives 1 / (price / y + scarcity) out: for small inputs `price` in per unit out, and always less than 1 /
 * `scarcity` out.
 */
export type Curve = { price: number; scarcity: number }

/**
 * Curves that no quote exceeds, for either input token: those of a pool at the same price with this one's highest
 * liquidity L everywhere, whose price gets worse more slowly. It has x = L / √P and y = L √P (whitepaper 2.2), and
 * returns y x' / (x + x') for x', the input less the fee.
 */
export function curveBounds(pool: Pool): { token0In: Curve; token1In: Curve } {
  const sqrtPrice = Number(pool.sqrtPriceX96) / Q96
  const depth = Number(liquidityMax(pool))
  const kept = feeFactor(pool)
  return {
    token0In: curveBelow(1 / (sqrtPrice * sqrtPrice * kept), 1 / (depth * sqrtPrice)),
    token1In: curveBelow((sqrtPrice * sqrtPrice) / kept, sqrtPrice / depth),
  }
}

function curveBelow(price: number, scarcity: number): Curve {
  return { price: price * (1 - MARGIN_PER_RANGE), scarcity: scarcity * (1 - MARGIN_PER_RANGE) }
}

function liquidityMax({ ticks: { ascending, byTick } }: Pool): bigint {
  let [liquidity, most] = [0n, 0n]
  for (const tick of ascending) {
    liquidity += byTick.get(tick)?.liquidityNet ?? 0n
    if (liquidity > most) most = liquidity
  }
  return most
}

/** The swap in real numbers, range by range: whitepaper (6.13) to (6.16). 0 if it leaves more than `leftMax`. */
function outputBound(pool: Pool, zeroForOne: boolean, amountIn: number, leftMax: number): number {
  const { ascending, byTick } = pool.ticks
  const onward = zeroForOne ? -1 : 1
  let { sqrtPriceX96, liquidity } = pool
  // All steps together take an integer: the rest after the fee, rounded down.
  let amountLeft = Math.floor(amountIn * feeFactor(pool) * (1 + MARGIN_PER_RANGE))
  let amountOut = 0
  let margin = MARGIN_PER_RANGE
  let place = countUpTo(ascending, pool.tick) - (zeroForOne ? 1 : 0)
  for (let tick = ascending[place]; tick !== undefined && amountLeft > 0; tick = ascending[place]) {
    const targetX96 = sqrtPriceX96AtTick(tick)
    if (liquidity > 0n) {
      const depth = Number(liquidity)
      const sqrtPrice = Number(sqrtPriceX96) / Q96
      const amount1 = (depth * Number(zeroForOne ? sqrtPriceX96 - targetX96 : targetX96 - sqrtPriceX96)) / Q96
      const amount0 = amount1 / sqrtPrice / (Number(targetX96) / Q96)
      const amountToTarget = zeroForOne ? amount0 : amount1
      if (amountLeft <= amountToTarget) {
        amountOut += zeroForOne
          ? (amountLeft * sqrtPrice * sqrtPrice * depth) / (depth + amountLeft * sqrtPrice)
          : amountLeft / sqrtPrice / (sqrtPrice + amountLeft / depth)
        amountLeft = 0
        break
      }
      amountLeft -= amountToTarget
      amountOut += zeroForOne ? amount1 : amount0
    }
    const { liquidityNet = 0n } = byTick.get(tick) ?? {}
    liquidity = zeroForOne ? liquidity - liquidityNet : liquidity + liquidityNet
    sqrtPriceX96 = targetX96
    place += onward
    margin += MARGIN_PER_RANGE
  }
  return amountLeft > amountIn * margin + leftMax ? 0 : Math.floor(amountOut * (1 + margin))
}

function feeFactor({ feePips }: Pool): number {
  return (PIPS - feePips) / PIPS
}
