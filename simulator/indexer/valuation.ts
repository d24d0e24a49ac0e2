import { powerOf10, SCALE } from './decimal.ts'
import type { IndexedPool, IndexState } from './index-state.ts'
import { scaledInversePrice, scaledPrice } from './price.ts'

/** Dollars for a whole token, scaled, by token id; tokens that no chain of pools ties to the stable one are missing. */
export type Valuation = ReadonlyMap<string, bigint>

/** The prices as of the last indexed block, worked out once a block; blocks are told apart by their hash. */
export function createValuation(state: IndexState): () => Valuation {
  let known: { hash: string; prices: Valuation } | undefined
  return () => {
    const { hash } = state.head
    if (known?.hash !== hash) known = { hash, prices: valueTokens(state) }
    return known.prices
  }
}

/**
 * Prices spread from the stable token over pools, nearest tokens first: a token takes its price from the pool that
 * holds most dollars of a token priced before it, the older pool where two hold the same.
 */
function valueTokens(state: IndexState): Valuation {
  const prices = new Map([[state.stableTokenId, SCALE]])
  let frontier = [state.stableTokenId]
  while (frontier.length > 0) {
    const found = new Map<string, { price: bigint; depth: bigint }>()
    for (const pricedId of frontier) {
      for (const pool of state.poolsByToken.get(pricedId) ?? []) offerPrice(pool, pricedId, prices, found)
    }
    for (const [tokenId, { price }] of found) prices.set(tokenId, price)
    frontier = [...found.keys()]
  }
  return prices
}

/** Dollars, scaled, for an amount in base units. */
export function dollars(amount: bigint, price: bigint, { decimals }: { decimals: number }): bigint {
  return (amount * price) / powerOf10(decimals)
}

function offerPrice(
  pool: IndexedPool,
  pricedId: string,
  prices: ReadonlyMap<string, bigint>,
  found: Map<string, { price: bigint; depth: bigint }>,
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
  const rate = pricedIs0
    ? scaledInversePrice(amm.sqrtPriceX96, token0, token1)
    : scaledPrice(amm.sqrtPriceX96, token0, token1)
  found.set(other.id, { price: (rate * pricedUsd) / SCALE, depth })
}
