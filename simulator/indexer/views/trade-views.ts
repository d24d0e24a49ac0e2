import type { CandleInterval } from '../candle-interval.ts'
import type { PoolView, TokenView } from './market-views.ts'

export type HopView = { pool: string; zeroForOne: boolean }

export type SwapView = {
  id: string
  swapId: string
  user: string
  recipient: string
  hops: readonly HopView[]
  inputToken: TokenView
  outputToken: TokenView
  inputAmount: bigint
  outputAmount: bigint
  amountRemaining: bigint
  isPrivate: boolean
  nonce: string
  executedAtMs: number
  transaction: string
  claimTx: string | null
  claimedAtMs: number | null
  block: number
}

export type TradeView = {
  id: string
  pool: string
  kind: 'swap' | 'mint' | 'burn'
  amount0: bigint
  amount1: bigint
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  price: string
  transaction: string
  /** Trader or owner of the position; null if private. */
  user: string | null
  block: number
  atMs: number
}

export type CandleView = {
  pool: string
  interval: CandleInterval
  startMs: number
  open: string
  high: string
  low: string
  close: string
  volume0: bigint
  volume1: bigint
}

/** Candles that start at `fromMs` or later and before `toMs` (default: all). */
export type CandlesQuery = {
  pool: string
  interval: CandleInterval
  limit: number
  offset: number
  fromMs?: number
  toMs?: number
}

/** The owner of the rows, and the viewer: only the owner sees private rows. */
export type OwnedQuery = { address: string; viewer: string | null }

/** Liquidity in a price range of a pool; the amounts owed include fees up to the last indexed block. */
export type PositionView = {
  id: string
  owner: string
  pool: PoolView
  tickLower: number
  tickUpper: number
  liquidity: bigint
  /** Output of burning the liquidity at the current price, rounded down and without fees. */
  amount0: bigint
  amount1: bigint
  tokensOwed0: bigint
  tokensOwed1: bigint
  isPrivate: boolean
  /** Null if it is not frozen. */
  frozenAtMs: number | null
  createdAtMs: number
  lastTransaction: string
}

export type UnclaimedView = {
  /** Swaps with an unclaimed output, even in part; oldest first. */
  pendingSwaps: readonly SwapView[]
  /** Oldest first. */
  positionsWithOwed: readonly PositionView[]
}

export type BalanceView = { token: TokenView; balance: bigint }

export type BalanceChangeView = {
  address: string
  token: TokenView
  delta: bigint
  balance: bigint
  block: number
}

export type FaucetRecordView = {
  id: string
  recipient: string
  token: TokenView
  amount: bigint
  transaction: string
  block: number
  atMs: number
}
