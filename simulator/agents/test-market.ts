import { createRandom } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { type Outside, openMarket, quoteToken } from './market.ts'

const STILL = { volatilityMultiplier: 0, trendPerDay: 0, meanHours: 1 }
const NO_MOVES = { volatilityPerDay: 0, jumpsPerDay: 0, jumpDeviation: 0 }

const RULES: WorldFixture['market'] = {
  regimes: { quiet: STILL, trending: STILL, turbulent: STILL },
  common: NO_MOVES,
  own: NO_MOVES,
  beta: { min: 1, max: 1 },
  firstPriceUsd: { min: 1, max: 1 },
}

export function stillMarket(stableId: string, pricesUsd: Readonly<Record<string, number>>): Outside {
  const stream = createRandom(1).stream('still')
  const market = openMarket(RULES, stream, { stableId, nowMs: 0 })
  const outside = { market, rules: RULES, stream }
  for (const [tokenId, priceUsd] of Object.entries(pricesUsd)) quoteToken(outside, tokenId, priceUsd)
  return outside
}
