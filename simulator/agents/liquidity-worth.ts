import type { Pool as AmmPool } from '../amm/pool.ts'
import { amountsBehind, liquidityPerTickMax, type PositionRange } from '../amm/position.ts'
import { scaledBy } from './exact.ts'
import { type Outside, valueUsd } from './market.ts'

/** Large, so that neither amount behind it is nothing, whatever the price. */
const TRIAL = 1n << 100n
/** No position has more than this part of what a tick may hold: others come beside it. */
const TICK_DIVISOR = 64n

type TokenScale = { id: string; decimals: number }

/** The liquidity over the range that is worth so many dollars, 1 at the least: what a trial costs tells. */
export function liquidityWorth(
  outside: Outside,
  { amm, tokens: [token0, token1] }: { amm: AmmPool; tokens: readonly [TokenScale, TokenScale] },
  range: PositionRange,
  sizeUsd: number,
): bigint {
  const { amount0, amount1 } = amountsBehind(amm, range, TRIAL, 'up')
  const trialUsd = valueUsd(outside, token0, amount0) + valueUsd(outside, token1, amount1)
  const liquidity = scaledBy(TRIAL, sizeUsd / trialUsd)
  const most = liquidityPerTickMax(amm.tickSpacing) / TICK_DIVISOR
  if (liquidity > most) return most
  return liquidity > 0n ? liquidity : 1n
}
