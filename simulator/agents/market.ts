import type { RandomStream } from '../random.ts'
import { normal } from './normal.ts'

/** What agents think tokens are worth: rough, outside the chain, and moving. */
export type Market = {
  /** Dollars for a whole token. */
  pricesUsd: Map<string, number>
  /** The token that stays at one dollar. */
  stableId: string
}

const DAY_MS = 86_400_000

/** Moves every price but the stable one: geometric Brownian motion without drift. */
export function moveMarket(
  market: Market,
  stream: RandomStream,
  options: { volatilityPerDay: number; elapsedMs: number },
): void {
  const deviation = options.volatilityPerDay * Math.sqrt(options.elapsedMs / DAY_MS)
  for (const [tokenId, priceUsd] of market.pricesUsd) {
    if (tokenId === market.stableId) continue
    const moved = priceUsd * Math.exp(deviation * normal(stream) - deviation ** 2 / 2)
    // A worthless or priceless token ends trading in its pools: prices stay within what amounts can express.
    market.pricesUsd.set(tokenId, Math.min(1e6, Math.max(1e-6, moved)))
  }
}

export function priceUsdOf(market: Market, tokenId: string): number {
  const priceUsd = market.pricesUsd.get(tokenId)
  if (priceUsd === undefined) throw new RangeError(`no agent has a price for ${tokenId}`)
  return priceUsd
}

/** Dollars for an amount in base units, roughly. */
export function valueUsd(market: Market, token: { id: string; decimals: number }, amount: bigint): number {
  return (Number(amount) / 10 ** token.decimals) * priceUsdOf(market, token.id)
}
