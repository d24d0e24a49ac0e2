import type { ChainPool, ChainState } from '../chain/state.ts'

/** token1 for a token0, both in base units, roughly. */
export function roughPrice({ amm }: ChainPool): number {
  const sqrtPrice = Number(amm.sqrtPriceX96) / 2 ** 96
  return sqrtPrice * sqrtPrice
}

/** token1 for a whole token0, roughly. */
export function wholePrice({ tokens }: ChainState, pool: ChainPool): number {
  const decimals = (tokens.get(pool.token0)?.decimals ?? 0) - (tokens.get(pool.token1)?.decimals ?? 0)
  return roughPrice(pool) * 10 ** decimals
}

/** The token of the pool that is not this one. */
export function otherToken({ token0, token1 }: ChainPool, token: string): string {
  return token === token0 ? token1 : token0
}
