import { amountsBehind } from '../../amm/position.ts'
import { computeSwapStep, FEE_PIPS_WHOLE } from '../../amm/swap.ts'
import { sqrtPriceX96AtTick, TICK_MAX } from '../../amm/tick-math.ts'
import type { IndexedPool } from '../index-state.ts'
import { priceText, ratioText } from '../price.ts'
import type { LiquidityRangeView, PoolView } from '../views/market-views.ts'

/** Amounts in base units as a trade would move them; input includes the fee. */
export type BookLevel = {
  /** Token1 per token0, in whole tokens, including the fee: the mean over the level. */
  price: string
  amount0: bigint
  amount1: bigint
}

export type OrderBook = { bids: readonly BookLevel[]; asks: readonly BookLevel[] }

type Range = Pick<LiquidityRangeView, 'tickLower' | 'tickUpper' | 'liquidity'>
type Step = { fromX96: bigint; toX96: bigint; liquidity: bigint }

/**
 * A pool's liquidity as the equivalent order book, best level first. A level is the amount that trades between two
 * multiples of the tick spacing, or what is left of it at the current price. With constant liquidity the mean price
 * from √A to √B is √A·√B (whitepaper 6.14 and 6.16); the fee is added.
 */
export function orderBook(
  pool: PoolView,
  ranges: readonly Range[],
  options: { levelsPerSide: number },
): OrderBook {
  const take = (ordered: readonly Range[], split: typeof stepsUp): BookLevel[] => {
    const levels: BookLevel[] = []
    for (const range of ordered) {
      let empty = 0
      for (const step of split(pool, range)) {
        if (levels.length >= options.levelsPerSide) return levels
        const level = computeLevel(pool, step)
        if (level) levels.push(level)
        // Only the first step may be partial: later ones yield less and less.
        else if (++empty === 2) break
      }
    }
    return levels
  }
  return { bids: take(ranges.toReversed(), stepsDown), asks: take(ranges, stepsUp) }
}

/**
 * The best price of either side; null without liquidity at the current price. The amount of liquidity does not move the
 * price of a level, so that of the current price is used for its neighbors.
 */
export function bestPrices(pool: PoolView): { bid: string | null; ask: string | null } {
  const { liquidity, tickSpacing } = pool
  const tick = floorToSpacing(pool.tick, tickSpacing)
  const end = floorToSpacing(TICK_MAX, tickSpacing)
  const tickLower = Math.max(tick - tickSpacing, -end)
  const range = { tickLower, tickUpper: Math.min(tick + 2 * tickSpacing, end), liquidity }
  const { bids, asks } = orderBook(pool, [range], { levelsPerSide: 1 })
  return { bid: bids[0]?.price ?? null, ask: asks[0]?.price ?? null }
}

function* stepsUp(
  { sqrtPriceX96, tick, tickSpacing }: PoolView,
  { tickLower, tickUpper, liquidity }: Range,
): Generator<Step> {
  if (sqrtPriceX96AtTick(tickUpper) <= sqrtPriceX96) return
  const startsAt = sqrtPriceX96AtTick(tickLower)
  let fromX96 = startsAt > sqrtPriceX96 ? startsAt : sqrtPriceX96
  const first = tickLower > tick ? tickLower : floorToSpacing(tick, tickSpacing)
  for (let boundary = first + tickSpacing; boundary <= tickUpper; boundary += tickSpacing) {
    const toX96 = sqrtPriceX96AtTick(boundary)
    yield { fromX96, toX96, liquidity }
    fromX96 = toX96
  }
}

function* stepsDown(
  { sqrtPriceX96, tick, tickSpacing }: PoolView,
  { tickLower, tickUpper, liquidity }: Range,
): Generator<Step> {
  if (sqrtPriceX96AtTick(tickLower) >= sqrtPriceX96) return
  const startsAt = sqrtPriceX96AtTick(tickUpper)
  let fromX96 = startsAt < sqrtPriceX96 ? startsAt : sqrtPriceX96
  const first = tickUpper <= tick ? tickUpper - tickSpacing : floorToSpacing(tick, tickSpacing)
  for (let boundary = first; boundary >= tickLower; boundary -= tickSpacing) {
    const toX96 = sqrtPriceX96AtTick(boundary)
    yield { fromX96, toX96, liquidity }
    fromX96 = toX96
  }
}

/** Undefined for less than a base unit of either token. */
function computeLevel(
  { feePips, token0, token1 }: PoolView,
  { fromX96, toX96, liquidity }: Step,
): BookLevel | undefined {
  const fee = BigInt(feePips)
  const { amountIn, amountOut, feeAmount } = computeSwapStep({
    sqrtPriceX96: fromX96,
    sqrtPriceTargetX96: toX96,
    liquidity,
    amountRemaining: MORE_THAN_ANY_STEP,
    feePips: fee,
  })
  const paid = amountIn + feeAmount
  if (paid === 0n || amountOut === 0n) return undefined
  const isBid = toX96 < fromX96
  const [kept, whole] = isBid
    ? [FEE_PIPS_WHOLE - fee, FEE_PIPS_WHOLE]
    : [FEE_PIPS_WHOLE, FEE_PIPS_WHOLE - fee]
  return {
    price: ratioText({ numerator: fromX96 * toX96 * kept, denominator: whole << 192n }, token0, token1),
    amount0: isBid ? paid : amountOut,
    amount1: isBid ? amountOut : paid,
  }
}

/** The step then ends at its target. */
const MORE_THAN_ANY_STEP = 2n ** 254n

function floorToSpacing(tick: number, tickSpacing: number): number {
  return Math.floor(tick / tickSpacing) * tickSpacing
}

/**
 * The pool's liquidity between neighboring initialized ticks (the sum of the net liquidity of all ticks below,
 * whitepaper 6.3), and its tokens at the current price, rounded down.
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
