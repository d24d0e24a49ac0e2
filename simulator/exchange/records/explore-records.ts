/** Rows of the explore reads except pools (contract/schemas/explore.ts). */
import type { z } from 'zod'
import type { exploreTokenSchema, exploreTransactionsPageSchema } from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type {
  ExploreOrder,
  ExploreRow,
  ExploreSort,
  PoolView,
  TokenRow,
} from '../../indexer/views/market-views.ts'
import type { TradeView } from '../../indexer/views/trade-views.ts'
import type { Views } from '../../indexer/views/views.ts'

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

type Explore = Pick<Views, 'exploreOrder' | 'explorePools'>

/** The same orders of pools, with unknown values first instead of last. */
export function withUnknownFirst(views: Explore): Explore {
  const turned = new WeakMap<ExploreOrder, ExploreOrder>()
  const exploreOrder: Views['exploreOrder'] = (query) => {
    const order = views.exploreOrder(query)
    const known = turned.get(order) ?? turn(order, query.sort)
    turned.set(order, known)
    return known
  }
  return {
    exploreOrder,
    explorePools(query) {
      const { sort, limit, offset } = query
      const { rows, total } = views.explorePools({ ...query, limit: Number.MAX_SAFE_INTEGER, offset: 0 })
      const turnedRows = [
        ...rows.filter((row) => isUnknown(row, sort)),
        ...rows.filter((row) => !isUnknown(row, sort)),
      ]
      return { rows: turnedRows.slice(offset, offset + limit), total }
    },
  }
}

function turn({ rows, places }: ExploreOrder, sort: ExploreSort): ExploreOrder {
  // Known values come first: binary search for their end.
  let [known, unknown] = [0, places.length]
  while (known < unknown) {
    const middle = (known + unknown) >> 1
    if (isUnknown(rows[places[middle] as number] as ExploreRow, sort))
      unknown = middle // as: within bounds
    else known = middle + 1
  }
  const turned = new Int32Array(places.length)
  turned.set(places.subarray(known))
  turned.set(places.subarray(0, known), places.length - known)
  return { rows, places: turned }
}

function isUnknown(row: ExploreRow, sort: ExploreSort): boolean {
  return sort !== 'createdAt' && row[sort] === null
}
