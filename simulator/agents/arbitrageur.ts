import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { balanceOf } from '../chain/ledger.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import { tradingBar } from '../chain/tradable.ts'
import type { SwapTransaction } from '../chain/transaction.ts'
import { scaledBy } from './exact.ts'

/** Besides the size worked out, its half and its quarter: ranges end, and a price moves further than it says. */
const SIZES = 3
/** A gain below a ten-thousandth of what is paid is left alone. */
const GAIN_DIVISOR = 10_000n

/**
 * Closes gaps between pools of one pair at different fee tiers: buys where the token is cheap and sells where it is
 * dear, in one swap of two hops that ends in the token it began with. At most one a pair and block.
 */
export function arbitrage(state: ChainState, sender: string): readonly SwapTransaction[] {
  return state.contestedPairs
    .map((pair) => bestRoundTrip(state, sender, poolsOf(state, pair)))
    .filter((swap) => swap !== undefined)
}

function poolsOf(state: ChainState, pair: string): readonly ChainPool[] {
  return (state.poolsByPair.get(pair) ?? [])
    .map((key) => state.pools.get(key))
    .filter((pool) => pool !== undefined && !tradingBar(state, pool)) as ChainPool[] // as: filtered
}

/** Pays token1 in the cheaper pool, gets token0, and sells it in the dearer one. */
function bestRoundTrip(
  state: ChainState,
  sender: string,
  pools: readonly ChainPool[],
): SwapTransaction | undefined {
  const ascending = [...pools].sort((a, b) => (a.amm.sqrtPriceX96 < b.amm.sqrtPriceX96 ? -1 : 1))
  const [cheap, dear] = [ascending[0], ascending.at(-1)]
  if (!cheap || !dear) return undefined
  const held = balanceOf(state, sender, cheap.token1)
  let best = { amountIn: 0n, gain: 0n }
  let amountIn = amountToClose(cheap, dear)
  for (let tried = 0; tried < SIZES && amountIn > 0n; tried++, amountIn /= 2n) {
    const gain = amountIn > held ? 0n : gainOf(cheap, dear, amountIn)
    if (gain > best.gain && gain > amountIn / GAIN_DIVISOR) best = { amountIn, gain }
  }
  if (best.gain === 0n) return undefined
  return {
    kind: 'swap',
    sender,
    recipient: sender,
    tokenIn: cheap.token1,
    pools: [cheap.key, dear.key],
    amountIn: best.amountIn,
    amountOutMin: best.amountIn,
    isPrivate: false,
  }
}

/**
 * The token1 to pay until the prices stand no further apart than both fees, by the liquidity in range (whitepaper
 * (6.14)): √P_cheap = k √P_dear afterwards, where k² is what both fees leave, and what one pool gives the other takes.
 */
function amountToClose({ amm: cheap }: ChainPool, { amm: dear }: ChainPool): bigint {
  const kept = (1 - cheap.feePips / 1e6) * (1 - dear.feePips / 1e6)
  const k = Math.sqrt(kept)
  const ratio = Number(dear.sqrtPriceX96) / Number(cheap.sqrtPriceX96)
  if (!(ratio * k > 1)) return 0n
  const depth = Number(dear.liquidity) / Number(cheap.liquidity)
  const moved = (k * (1 + depth * ratio)) / (depth + k) - 1
  const token1Held = (cheap.liquidity * cheap.sqrtPriceX96) >> 96n
  return moved > 0 ? scaledBy(token1Held, moved / (1 - cheap.feePips / 1e6)) : 0n
}

function gainOf(cheap: ChainPool, dear: ChainPool, amountIn: bigint): bigint {
  try {
    const bought = computeSwap(cheap.amm, { zeroForOne: false, amountSpecified: amountIn })
    const sold = computeSwap(dear.amm, { zeroForOne: true, amountSpecified: -bought.amount0 })
    const isFilled = bought.amount1 === amountIn && sold.amount0 === -bought.amount0
    return isFilled ? -sold.amount1 - amountIn : 0n
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
}
