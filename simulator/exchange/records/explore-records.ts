/** Rows of the explore reads beside the pools (contract/schemas/explore.ts). */
import type { z } from 'zod'
import type { exploreTokenSchema, exploreTransactionsPageSchema } from '../../../contract/schemas/explore.ts'
import type { Choices } from '../../choices/choices.ts'
import type { TokenRow } from '../../indexer/views/explore-views.ts'
import type { PoolView } from '../../indexer/views/market-views.ts'
import type { TradeView } from '../../indexer/views/trade-views.ts'

/** A token over all its pools, with the figures of the window. */
export function exploreTokenRecord(row: TokenRow, { wire }: Choices): z.infer<typeof exploreTokenSchema> {
  const { token, pools, priceUsd, priceChangePct, tvlUsd, volumeUsd } = row
  const { symbol, name, decimals, image, ammTokenProgram } = token
  return {
    id: wire.tokenId.encode(token.id),
    address: wire.address.encode(token.address),
    symbol,
    name,
    decimals,
    image,
    ammTokenProgram,
    createdAt: wire.timestamp(token.createdAtMs),
    pools,
    priceUsd,
    priceChangePct,
    tvl: String(row.locked),
    tvlUsd,
    volume: String(row.volume),
    volumeUsd,
  }
}

/** A trade with both of its tokens. */
export function exploreTransactionRecord(
  trade: TradeView,
  { token0, token1 }: PoolView,
  { wire }: Choices,
): z.infer<typeof exploreTransactionsPageSchema>['data'][number] {
  const { id, kind, price, transaction, block } = trade
  return {
    id,
    kind,
    user: trade.user === null ? null : wire.address.encode(trade.user),
    pool: wire.poolKey.encode(trade.pool),
    token0: wire.tokenId.encode(token0.id),
    token1: wire.tokenId.encode(token1.id),
    token0Symbol: token0.symbol,
    token1Symbol: token1.symbol,
    token0Decimals: token0.decimals,
    token1Decimals: token1.decimals,
    amount0: String(trade.amount0),
    amount1: String(trade.amount1),
    price,
    transaction,
    block,
    timestamp: wire.timestamp(trade.atMs),
  }
}
