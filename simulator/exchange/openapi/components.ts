import { z } from 'zod'
import { exploreTokenSchema, exploreTransactionSchema } from '../../../contract/schemas/explore.ts'
import {
  candleSchema,
  liquidityRangeSchema,
  observationSchema,
  poolStatsSchema,
  tradeSchema,
  windowStatsSchema,
} from '../../../contract/schemas/market.ts'
import { explorePoolSchema, poolSchema, valuationSchema } from '../../../contract/schemas/pools.ts'
import {
  balanceSchema,
  owedPositionSchema,
  pendingSwapSchema,
  positionSchema,
} from '../../../contract/schemas/portfolio.ts'
import { swapSchema } from '../../../contract/schemas/swaps.ts'
import { errorBodySchema, paginationSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'

/** Schemas that the OpenAPI document has once, under a name; those of the specification's resources are as they are there. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Error: errorBodySchema,
  Pagination: paginationSchema,
  TokenInfo: tokenInfoSchema,
  Pool: poolSchema,
  ExplorePool: explorePoolSchema,
  UsdcUsdQuote: valuationSchema,
  ExploreToken: exploreTokenSchema,
  ExploreTransaction: exploreTransactionSchema,
  PoolStats: poolStatsSchema,
  WindowStats: windowStatsSchema,
  Candle: candleSchema,
  Trade: tradeSchema,
  LiquidityRange: liquidityRangeSchema,
  OracleObservation: observationSchema,
  Swap: swapSchema,
  PendingSwap: pendingSwapSchema,
  OwedPosition: owedPositionSchema,
  Position: positionSchema,
  Balance: balanceSchema,
}

/** In zod's own registry, where the plugin looks for names; to be called before a document is made. */
export function nameComponents(): void {
  for (const [id, schema] of Object.entries(COMPONENTS))
    z.globalRegistry.add(schema, { ...schema.meta(), id })
}
