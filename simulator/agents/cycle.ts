import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import type { ChainPool } from '../chain/state.ts'
import { toUnits } from './exact.ts'
import { roughPrice } from './pool-price.ts'

export type Hop = { pool: ChainPool; tokenIn: string }

/** Hops that end in the token that the first one takes, through no pool twice. */
export type Cycle = readonly Hop[]

/** Besides the size worked out, its half and its quarter: ranges end, and a price moves further than it says. */
const SIZES = 3

/** What a little of the token becomes on its way round, fees taken: above 1 there is a gap to close. */
export function rateOf(cycle: Cycle): number {
  return cycle.reduce((rate, hop) => rate * spotRate(hop), 1)
}

function spotRate({ pool, tokenIn }: Hop): number {
  if (pool.amm.liquidity === 0n) return 0
  const price = roughPrice(pool)
  return (tokenIn === pool.token0 ? price : 1 / price) * keptOf(pool)
}

function keptOf({ amm }: ChainPool): number {
  return 1 - amm.feePips / 1e6
}

/**
 * The amount that gains most on its way round, as far as the ranges go that the prices stand in; where that gains
 * nothing, by exact quote, or not above a share `gainMin` of what is paid, its half or its quarter. Undefined where none does.
 */
export function bestAmount(
  cycle: Cycle,
  options: { amountMax: bigint; gainMin: number },
): bigint | undefined {
  let amountIn = lesser(roughBestAmount(cycle), options.amountMax)
  for (let tried = 0; tried < SIZES && amountIn > 0n; tried++, amountIn /= 2n)
    if (Number(gainOf(cycle, amountIn)) > options.gainMin * Number(amountIn)) return amountIn
  return undefined
}

/**
 * Within their ranges pools hold x = L/√P and y = L√P (whitepaper 2.2), and give y·kx'/(x + kx') for x', k what the fee
 * leaves. Hops one after the other are again of the form a·x'/(b + c·x'), and a·x'/(b + c·x') - x' is highest at
 * x' = (√(ab) - b)/c.
 */
function roughBestAmount(cycle: Cycle): bigint {
  let [a, b, c] = [1, 1, 0]
  for (const { pool, tokenIn } of cycle) {
    const sqrtPrice = Number(pool.amm.sqrtPriceX96) / 2 ** 96
    const liquidity = Number(pool.amm.liquidity)
    const [held0, held1] = [liquidity / sqrtPrice, liquidity * sqrtPrice]
    const [held, given] = tokenIn === pool.token0 ? [held0, held1] : [held1, held0]
    const kept = keptOf(pool)
    // Scaled by what the pool holds: products of three would leave the range of floats.
    c = c + (kept * a) / held
    a = (kept * a * given) / held
  }
  return c > 0 && a > b ? toUnits((Math.sqrt(a * b) - b) / c) : 0n
}

/** Exact; 0 where a pool refuses, or takes less than all. */
function gainOf(cycle: Cycle, amountIn: bigint): bigint {
  let held = amountIn
  try {
    for (const { pool, tokenIn } of cycle) {
      const zeroForOne = tokenIn === pool.token0
      const { amount0, amount1 } = computeSwap(pool.amm, { zeroForOne, amountSpecified: held })
      const [taken, given] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
      if (taken !== held || given <= 0n) return 0n
      held = given
    }
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
  return held - amountIn
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
