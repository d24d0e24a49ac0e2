import { createPool } from '../amm/pool.ts'
import { amountsBehind, fullRangeTicks } from '../amm/position.ts'
import type { TokenDraft } from '../chain/event.ts'
import { compareFields } from '../chain/identifiers.ts'
import { poolKey } from '../chain/programs/pools.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import { toBaseUnits, toSqrtPriceX96 } from './exact.ts'
import { type Outside, priceUsdOf } from './market.ts'
import type { People } from './people.ts'

export type PoolTier = { feePips: number; tickSpacing: number }

/** What it takes to open a pool at the market's price with liquidity over the whole range, worth about `sizeUsd`. */
export function openPool(options: {
  sender: string
  people: People
  outside: Outside
  pair: readonly [TokenDraft, TokenDraft]
  tier: PoolTier
  sizeUsd: number
}): readonly Transaction[] {
  const { outside, people } = options
  const { feePips, tickSpacing } = options.tier
  const [token0, token1] = [...options.pair].sort((a, b) => compareFields(a.id, b.id)) as [
    TokenDraft,
    TokenDraft,
  ] // sorting keeps both
  const sqrtPriceX96 = toSqrtPriceX96(priced(outside, token0), priced(outside, token1))
  const amount0Wanted = toBaseUnits(options.sizeUsd / 2 / priceUsdOf(outside, token0.id), token0.decimals)
  // Whitepaper (6.5): over the whole range, L = x√P.
  const liquidity = (amount0Wanted * sqrtPriceX96) >> 96n
  const range = { owner: people.liquidityProvider, ...fullRangeTicks(tickSpacing) }
  const amounts = amountsBehind(createPool({ feePips, tickSpacing, sqrtPriceX96 }), range, liquidity, 'up')
  const { tickLower, tickUpper } = range
  const pool = poolKey(token0.id, token1.id, feePips)
  return [
    fund(people, token0.id, amounts.amount0),
    fund(people, token1.id, amounts.amount1),
    {
      kind: 'createPool',
      sender: options.sender,
      tokenA: token0.id,
      tokenB: token1.id,
      feePips,
      sqrtPriceX96,
    },
    {
      kind: 'mintPosition',
      sender: people.liquidityProvider,
      pool,
      tickLower,
      tickUpper,
      liquidity,
      isPrivate: false,
    },
  ]
}

function priced(outside: Outside, { id, decimals }: TokenDraft): { priceUsd: number; decimals: number } {
  return { priceUsd: priceUsdOf(outside, id), decimals }
}

function fund({ administrator, liquidityProvider }: People, tokenId: string, amount: bigint): Transaction {
  return {
    kind: 'mintToken',
    sender: administrator,
    tokenId,
    shares: [{ recipient: liquidityProvider, amount }],
  }
}

/** One of the fixture's tiers, by weight. */
export function drawTier<Tier extends { weight: number }>(
  tiers: readonly Tier[],
  stream: RandomStream,
): Tier {
  let left = stream.float() * tiers.reduce((sum, { weight }) => sum + weight, 0)
  const drawn = tiers.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  // Rounding may leave a last trace of weight: it is the last tier's.
  return drawn ?? (tiers[tiers.length - 1] as Tier) // as: the fixture has one at the least
}
