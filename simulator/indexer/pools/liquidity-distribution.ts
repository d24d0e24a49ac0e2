import { amountsBehind } from '../../amm/position.ts'
import { sqrtPriceX96AtTick } from '../../amm/tick-math.ts'
import type { IndexedPool } from '../index-state.ts'
import { priceText } from '../price.ts'
import type { LiquidityRangeView } from '../views/pool-views.ts'

/**
 * The pool's liquidity between each two neighbouring ticks where it changes (whitepaper 6.3: it is the sum of the net
 * liquidity of all ticks below), and the tokens behind it at the present price, rounded down.
 */
export function liquidityDistribution(pool: IndexedPool): readonly LiquidityRangeView[] {
  const { amm, token0, token1 } = pool
  const ranges: LiquidityRangeView[] = []
  let liquidity = 0n
  for (const [place, tickLower] of amm.ticks.ascending.entries()) {
    liquidity += amm.ticks.byTick.get(tickLower)?.liquidityNet ?? 0n
    const tickUpper = amm.ticks.ascending[place + 1]
    if (tickUpper === undefined || liquidity === 0n) continue
    ranges.push({
      tickLower,
      tickUpper,
      priceLower: priceText(sqrtPriceX96AtTick(tickLower), token0, token1),
      priceUpper: priceText(sqrtPriceX96AtTick(tickUpper), token0, token1),
      liquidity,
      ...amountsBehind(amm, { owner: '', tickLower, tickUpper }, liquidity, 'down'),
      isActive: tickLower <= amm.tick && amm.tick < tickUpper,
    })
  }
  return ranges
}
