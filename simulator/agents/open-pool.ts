import { createPool } from '../amm/pool.ts'
import { amountsBehind, fullRangeTicks } from '../amm/position.ts'
import type { TokenDraft } from '../chain/event.ts'
import { compareFields } from '../chain/identifiers.ts'
import { poolKey } from '../chain/programs/pools.ts'
import type { Transaction } from '../chain/transaction.ts'
import { toBaseUnits, toSqrtPriceX96 } from './exact.ts'
import { type Market, priceUsdOf } from './market.ts'
import type { People } from './people.ts'

/** The one tier so far. */
export const FEE_TIER = { feePips: 3000, tickSpacing: 60 }

/** What it takes to open a pool at the market's price with liquidity over the whole range, worth about `sizeUsd`. */
export function openPool(options: {
  sender: string
  people: People
  market: Market
  pair: readonly [TokenDraft, TokenDraft]
  sizeUsd: number
}): readonly Transaction[] {
  const { market, people } = options
  const [token0, token1] = [...options.pair].sort((a, b) => compareFields(a.id, b.id)) as [
    TokenDraft,
    TokenDraft,
  ] // sorting keeps both
  const sqrtPriceX96 = toSqrtPriceX96(priced(market, token0), priced(market, token1))
  const amount0Wanted = toBaseUnits(options.sizeUsd / 2 / priceUsdOf(market, token0.id), token0.decimals)
  // Whitepaper (6.5): over the whole range, L = x√P.
  const liquidity = (amount0Wanted * sqrtPriceX96) >> 96n
  const range = { owner: people.liquidityProvider, ...fullRangeTicks(FEE_TIER.tickSpacing) }
  const amounts = amountsBehind(createPool({ ...FEE_TIER, sqrtPriceX96 }), range, liquidity, 'up')
  const { tickLower, tickUpper } = range
  const pool = poolKey(token0.id, token1.id, FEE_TIER.feePips)
  return [
    fund(people, token0.id, amounts.amount0),
    fund(people, token1.id, amounts.amount1),
    {
      kind: 'createPool',
      sender: options.sender,
      tokenA: token0.id,
      tokenB: token1.id,
      feePips: FEE_TIER.feePips,
      sqrtPriceX96,
    },
    { kind: 'addLiquidity', sender: people.liquidityProvider, pool, tickLower, tickUpper, liquidity },
  ]
}

function priced(market: Market, { id, decimals }: TokenDraft): { priceUsd: number; decimals: number } {
  return { priceUsd: priceUsdOf(market, id), decimals }
}

function fund({ administrator, liquidityProvider }: People, tokenId: string, amount: bigint): Transaction {
  return {
    kind: 'mintToken',
    sender: administrator,
    tokenId,
    shares: [{ recipient: liquidityProvider, amount }],
  }
}
