import { createPool } from '../amm/pool.ts'
import { amountsBehind, fullRangeTicks, type PositionRange } from '../amm/position.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN } from '../amm/tick-math.ts'
import type { TokenDraft } from '../chain/event.ts'
import { compareFields } from '../chain/identifiers.ts'
import { poolKey } from '../chain/programs/pools.ts'
import type { Transaction } from '../chain/transaction.ts'
import { toSqrtPriceX96 } from './exact.ts'
import { liquidityWorth } from './liquidity-worth.ts'
import { type Outside, priceUsdOf } from './market.ts'
import type { People } from './people.ts'
import { rangeAbout } from './range-about.ts'

export type PoolTier = { feePips: number; tickSpacing: number }

export type Opening = {
  /** What the liquidity provider must hold before. */
  funding: readonly { tokenId: string; amount: bigint }[]
  transactions: readonly Transaction[]
}

/** What it takes to open a pool at the market's price with liquidity worth about `sizeUsd`. */
export function openPool(options: {
  sender: string
  people: People
  outside: Outside
  pair: readonly [TokenDraft, TokenDraft]
  tier: PoolTier
  sizeUsd: number
  /** How far liquidity reaches either way; null: over all prices. */
  halfWidthTicks: number | null
}): Opening {
  const { outside, people, sizeUsd, halfWidthTicks } = options
  const { feePips, tickSpacing } = options.tier
  const [token0, token1] = [...options.pair].sort((a, b) => compareFields(a.id, b.id)) as [
    TokenDraft,
    TokenDraft,
  ] // sorting keeps both
  const sqrtPriceX96 = withinBounds(toSqrtPriceX96(priced(outside, token0), priced(outside, token1)))
  const amm = createPool({ feePips, tickSpacing, sqrtPriceX96 })
  const ticks = halfWidthTicks === null ? fullRangeTicks(tickSpacing) : rangeAbout(amm, halfWidthTicks)
  const range: PositionRange = { owner: people.liquidityProvider, ...ticks }
  const liquidity = liquidityWorth(outside, { amm, tokens: [token0, token1] }, range, sizeUsd)
  const { amount0, amount1 } = amountsBehind(amm, range, liquidity, 'up')
  const pool = poolKey(token0.id, token1.id, feePips)
  return {
    funding: [
      { tokenId: token0.id, amount: amount0 },
      { tokenId: token1.id, amount: amount1 },
    ].filter(({ amount }) => amount > 0n),
    transactions: [
      {
        kind: 'createPool',
        sender: options.sender,
        tokenA: token0.id,
        tokenB: token1.id,
        feePips,
        sqrtPriceX96,
      },
      { kind: 'mintPosition', sender: people.liquidityProvider, pool, ...ticks, liquidity, isPrivate: false },
    ],
  }
}

/** Mints to the liquidity provider what openings need, each token once. */
export function fundOpenings(people: People, openings: readonly Opening[]): readonly Transaction[] {
  const { administrator: sender, liquidityProvider: recipient } = people
  const needed = new Map<string, bigint>()
  for (const { tokenId, amount } of openings.flatMap(({ funding }) => funding))
    needed.set(tokenId, (needed.get(tokenId) ?? 0n) + amount)
  return [...needed].map(
    ([tokenId, amount]): Transaction => ({
      kind: 'mintToken',
      sender,
      tokenId,
      shares: [{ recipient, amount }],
    }),
  )
}

/** Tokens of extreme prices and decimals come to where a pool has no price any more. */
function withinBounds(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 < SQRT_PRICE_X96_MIN) return SQRT_PRICE_X96_MIN
  return sqrtPriceX96 < SQRT_PRICE_X96_MAX ? sqrtPriceX96 : SQRT_PRICE_X96_MAX - 1n
}

function priced(outside: Outside, { id, decimals }: TokenDraft): { priceUsd: number; decimals: number } {
  return { priceUsd: priceUsdOf(outside, id), decimals }
}
