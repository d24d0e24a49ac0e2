import { type Pool as AmmPool, createPool } from '../amm/pool.ts'
import { amountsBehind, fullRangeTicks, liquidityPerTickMax, type PositionRange } from '../amm/position.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN, TICK_MAX, TICK_MIN } from '../amm/tick-math.ts'
import { compareFields } from '../chain/identifiers.ts'
import { poolKey } from '../chain/programs/pools.ts'
import type { TokenDraft, Transaction } from '../chain/transaction.ts'
import { scaledBy, toSqrtPriceX96 } from './exact.ts'
import { getPriceUsd, type Outside, valueUsd } from './market.ts'
import type { People } from './people.ts'

export type PoolTier = { feePips: number; tickSpacing: number }

export type Opening = {
  funding: readonly { tokenId: string; amount: bigint }[]
  transactions: readonly Transaction[]
}

/** Creates the transactions that open a pool at the market's price with liquidity worth about `sizeUsd`. */
export function openPool(options: {
  sender: string
  people: People
  outside: Outside
  pair: readonly [TokenDraft, TokenDraft]
  tier: PoolTier
  sizeUsd: number
  /** Range to either side of the price; null: all prices. */
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

/** Extreme prices and decimals can exceed the pool's price range. */
function withinBounds(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 < SQRT_PRICE_X96_MIN) return SQRT_PRICE_X96_MIN
  return sqrtPriceX96 < SQRT_PRICE_X96_MAX ? sqrtPriceX96 : SQRT_PRICE_X96_MAX - 1n
}

function priced(outside: Outside, { id, decimals }: TokenDraft): { priceUsd: number; decimals: number } {
  return { priceUsd: getPriceUsd(outside, id), decimals }
}

/** A range centered on the pool's price, aligned to its ticks, at least one spacing wide. */
export function rangeAbout(
  { tick, tickSpacing }: Pick<AmmPool, 'tick' | 'tickSpacing'>,
  halfWidthTicks: number,
): { tickLower: number; tickUpper: number } {
  const lowest = Math.ceil(TICK_MIN / tickSpacing)
  const highest = Math.floor(TICK_MAX / tickSpacing)
  const half = Math.max(1, Math.round(halfWidthTicks / tickSpacing))
  const center = Math.min(highest - 1, Math.max(lowest + 1, Math.floor(tick / tickSpacing)))
  return {
    tickLower: Math.max(lowest, center - half) * tickSpacing,
    tickUpper: Math.min(highest, center + half) * tickSpacing,
  }
}

/** Large enough that both amounts are above zero at any price. */
const TRIAL = 1n << 100n
/** Limits a position to this fraction of a tick's maximum: others need room too. */
const TICK_DIVISOR = 64n

type TokenScale = { id: string; decimals: number }

/** Returns the liquidity over the range worth that many dollars, at least 1; derived from the cost of a trial amount. */
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
