import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { balanceOf } from '../chain/ledger.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import { tradingBar } from '../chain/tradable.ts'
import type { SwapTransaction } from '../chain/transaction.ts'

/** Sizes tried, as parts of what the first pool holds of the token paid: the best one halves until none pays more. */
const LARGEST_PART = 8n
const HALVINGS = 14

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

type Gain = { pools: readonly [ChainPool, ChainPool]; amountIn: bigint; gain: bigint }

/** Pays token1 in the cheaper pool, gets token0, and sells it in the dearer one. */
function bestRoundTrip(
  state: ChainState,
  sender: string,
  pools: readonly ChainPool[],
): SwapTransaction | undefined {
  const ascending = [...pools].sort((a, b) => (a.amm.sqrtPriceX96 < b.amm.sqrtPriceX96 ? -1 : 1))
  const [cheap, dear] = [ascending[0], ascending.at(-1)]
  if (!cheap || !dear || !coversFees(cheap, dear)) return undefined
  const { token1 } = cheap
  const held = balanceOf(state, sender, token1)
  let best: Gain | undefined
  let amountIn = cheap.balance1 / LARGEST_PART
  for (let halving = 0; halving < HALVINGS; halving++, amountIn /= 2n) {
    if (amountIn > held) continue
    const gain = gainOf(cheap, dear, amountIn)
    if (best && gain < best.gain) break
    if (gain > 0n) best = { pools: [cheap, dear], amountIn, gain }
  }
  if (!best) return undefined
  const keys = best.pools.map(({ key }) => key)
  const amountOutMin = best.amountIn
  return {
    kind: 'swap',
    sender,
    recipient: sender,
    tokenIn: token1,
    pools: keys,
    amountIn: best.amountIn,
    amountOutMin,
    isPrivate: false,
  }
}

/** Whether the prices stand further apart than both fees: P_dear (1 - f_dear)(1 - f_cheap) > P_cheap. */
function coversFees(cheap: ChainPool, dear: ChainPool): boolean {
  const kept = (1 - cheap.amm.feePips / 1e6) * (1 - dear.amm.feePips / 1e6)
  return (Number(dear.amm.sqrtPriceX96) / Number(cheap.amm.sqrtPriceX96)) ** 2 * kept > 1
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
