import type { BlockRef, PoolView, TokenView } from './market-views.ts'

export type MetricWindow = '1h' | '1d' | '1w' | '1m'

export type ExploreSort = 'createdAt' | 'tvlUsd' | 'volumeUsd' | 'priceUsd' | 'priceChangePct'

export type ExploreQuery = {
  window: MetricWindow
  sort: ExploreSort
  order: 'asc' | 'desc'
  limit: number
  offset: number
  /** Matches symbol, name, token address or pool key, whatever the case. */
  search?: string
}

/** A pool with the figures of a window; null where nothing is known (no trade in the window, no dollar price). */
export type ExploreRow = {
  pool: PoolView
  displayFlipped: boolean
  price: string | null
  priceChangePct: string | null
  priceUsd: string | null
  tvlUsd: string | null
  volumeUsd: string | null
  /** Room for whoever renders rows to keep what it made of this one. */
  rendered?: Uint8Array
}

/** A token over all its pools, with the figures of a window; null where the token has no dollar price. */
export type TokenRow = {
  token: TokenView
  /** How many pools trade it. */
  pools: number
  /** What they hold of it. */
  locked: bigint
  /** What was traded of it in the window, bought or sold. */
  volume: bigint
  priceUsd: string | null
  /** Since the window began, through the pools that the price comes from now. */
  priceChangePct: string | null
  tvlUsd: string | null
  volumeUsd: string | null
}

/** The whole market: sums over the pools whose figure is known. */
export type ExploreStatsView = {
  block: BlockRef
  pools: number
  tokens: number
  /** Since the first block, private ones included. */
  swaps: number
  tvlUsd: string
  volumeUsd: string
}

/** All pools in one order. The same object until another block is indexed; not to be read after that. */
export type ExploreOrder = {
  total: number
  /** From 0; the same object, block after block, for as long as it says the same. */
  row(place: number): ExploreRow
}
