/** Rows of the explore reads except pools (contract/schemas/explore.ts). */
import type { z } from 'zod'
import type { exploreTokenSchema, exploreTransactionsPageSchema } from '../../../contract/schemas/pools.ts'
import type { Choices } from '../../choices/choices.ts'
import type {
  ExploreOrder,
  ExploreQuery,
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

type Ordering = Pick<ExploreQuery, 'window' | 'sort' | 'order'>

/** JSON rows separated by commas, without brackets; valid until the next block is indexed. */
type ExplorePage = { total: number; pieces: readonly Uint8Array[] }

/**
 * Serves pages of explore rows as bytes. A row is rendered again only if it changes; rows of an order are stored in contiguous
 * segments, so that a page is at most two slices. A segment is filled on demand, once per block, and its memory is reused:
 * allocation would cost more than all other work.
 */
export function createExplorePages(options: {
  views: Pick<Views, 'exploreOrder'>
  render: (row: ExploreRow) => string
}): (query: Ordering & { limit: number; offset: number }) => ExplorePage {
  const shelves = new Map<string, Segment[]>()

  const renderRow = (row: ExploreRow): Uint8Array => {
    row.rendered ??= encodeText(`,${options.render(row)}`)
    return row.rendered
  }
  const findShelf = ({ window, sort, order }: Ordering): Segment[] => {
    const name = `${window}/${sort}/${order}`
    const shelf = shelves.get(name) ?? []
    shelves.set(name, shelf)
    return shelf
  }

  return ({ limit, offset, ...ordering }) => {
    const order = options.views.exploreOrder(ordering)
    const shelf = findShelf(ordering)
    const pieces: Uint8Array[] = []
    const end = Math.min(offset + limit, order.total)
    for (let place = offset; place < end; ) {
      const number = Math.floor(place / SEGMENT_ROWS)
      const start = number * SEGMENT_ROWS
      const segment = shelf[number] ?? { order: null, bytes: new Uint8Array(0), starts: [] }
      shelf[number] = segment
      if (segment.order !== order) fill(segment, order, start, renderRow)
      const next = Math.min(end, start + SEGMENT_ROWS)
      // Without the comma before the page's first row.
      const from = (segment.starts[place - start] as number) + (place === offset ? 1 : 0) // as: within the segment
      pieces.push(segment.bytes.subarray(from, segment.starts[next - start]))
      place = next
    }
    return { total: order.total, pieces }
  }
}

/** Allocates separately: a slice of a shared slab would keep the whole slab alive. */
function encodeText(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Equal to the maximum page size. */
const SEGMENT_ROWS = 100
/** Headroom for rows that grow as figures change, so that the segment is not reallocated. */
const ROOM = 1.1

/** Rows, each with a comma before it, and their start offsets; the last offset is the end. `order` is null before the first fill. */
type Segment = { order: ExploreOrder | null; bytes: Uint8Array; starts: number[] }

function fill(
  segment: Segment,
  order: ExploreOrder,
  start: number,
  renderRow: (row: ExploreRow) => Uint8Array,
): void {
  const rows: Uint8Array[] = []
  const starts = [0]
  let length = 0
  for (let place = start; place < Math.min(start + SEGMENT_ROWS, order.total); place++) {
    const row = renderRow(order.row(place))
    rows.push(row)
    length += row.length
    starts.push(length)
  }
  if (segment.bytes.length < length) segment.bytes = Buffer.allocUnsafeSlow(Math.ceil(length * ROOM))
  for (let place = 0; place < rows.length; place++)
    segment.bytes.set(rows[place] as Uint8Array, starts[place] as number) // as: within bounds
  segment.starts = starts
  segment.order = order
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

function turn({ total, row }: ExploreOrder, sort: ExploreSort): ExploreOrder {
  // Known values come first: binary search for their end.
  let [known, unknown] = [0, total]
  while (known < unknown) {
    const middle = (known + unknown) >> 1
    if (isUnknown(row(middle), sort)) unknown = middle
    else known = middle + 1
  }
  const first = total - known
  return { total, row: (place) => row(place < first ? known + place : place - first) }
}

function isUnknown(row: ExploreRow, sort: ExploreSort): boolean {
  return sort !== 'createdAt' && row[sort] === null
}
