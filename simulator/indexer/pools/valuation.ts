import type { IndexedPool, IndexState } from '../index-state.ts'
import { powerOf10, SCALE, scaledInversePrice, scaledPrice } from '../price.ts'

/** Scaled dollars per whole token, by token id; without tokens that no pools connect to the stable one. */
export type Valuation = ReadonlyMap<string, bigint>

/** Origin of a token's price: the pool, and the token that was priced before. */
export type PriceSource = { pool: IndexedPool; pricedId: string }

/**
 * Prices and, except for the stable token, the source of each; a token comes after the one that its price depends on.
 */
export type Pricing = { prices: Valuation; sources: ReadonlyMap<string, PriceSource> }

/** Prices at the last indexed block, computed once per block; blocks are identified by hash. */
export function createPricing(state: IndexState): () => Pricing {
  let known: { hash: string; pricing: Pricing } | undefined
  return () => {
    const { hash } = state.head
    if (known?.hash !== hash) known = { hash, pricing: priceTokens(state) }
    return known.pricing
  }
}

/**
 * Prices spread from the stable token across pools, nearest tokens first: a token gets its price from the pool with the
 * most dollars of a token priced before it, or the older pool if two are equal.
 */
function priceTokens(state: IndexState): Pricing {
  const prices = new Map([[state.stableTokenId, SCALE]])
  const sources = new Map<string, PriceSource>()
  let frontier = [state.stableTokenId]
  while (frontier.length > 0) {
    const found = new Map<string, Offer>()
    for (const pricedId of frontier) {
      for (const pool of state.poolsByToken.get(pricedId) ?? []) offerPrice(pool, pricedId, prices, found)
    }
    for (const [tokenId, { price, pool, pricedId }] of found) {
      prices.set(tokenId, price)
      sources.set(tokenId, { pool, pricedId })
    }
    frontier = [...found.keys()]
  }
  return { prices, sources }
}

type Offer = PriceSource & { price: bigint; depth: bigint }

/** Scaled dollars per token that a pool sells at this price for an already priced one. */
export function priceThrough(
  { pool: { token0, token1 }, pricedId }: PriceSource,
  sqrtPriceX96: bigint,
  pricedUsd: bigint,
): bigint {
  const rate =
    token0.id === pricedId
      ? scaledInversePrice(sqrtPriceX96, token0, token1)
      : scaledPrice(sqrtPriceX96, token0, token1)
  return (rate * pricedUsd) / SCALE
}

/** Scaled dollars for an amount in base units. */
export function dollars(amount: bigint, price: bigint, { decimals }: { decimals: number }): bigint {
  return (amount * price) / powerOf10(decimals)
}

function offerPrice(
  pool: IndexedPool,
  pricedId: string,
  prices: ReadonlyMap<string, bigint>,
  found: Map<string, Offer>,
): void {
  const { token0, token1, amm } = pool
  const pricedIs0 = token0.id === pricedId
  const other = pricedIs0 ? token1 : token0
  if (prices.has(other.id) || amm.liquidity === 0n) return
  const pricedUsd = prices.get(pricedId)
  if (pricedUsd === undefined) return
  const depth = dollars(pricedIs0 ? pool.balance0 : pool.balance1, pricedUsd, pricedIs0 ? token0 : token1)
  const best = found.get(other.id)
  if (best && best.depth >= depth) return
  const source = { pool, pricedId }
  found.set(other.id, { ...source, price: priceThrough(source, amm.sqrtPriceX96, pricedUsd), depth })
}
