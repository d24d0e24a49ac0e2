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
  /** Who swapped or whose position it is; null where that is private. */
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

/** Candles that begin at `fromMs` or later and before `toMs`, all where these are left out. */
export type CandlesQuery = {
  pool: string
  interval: CandleInterval
  limit: number
  offset: number
  fromMs?: number
  toMs?: number
}

/** Whose rows, and who looks: a private row is there for its owner alone. */
export type OwnedQuery = { address: string; viewer: string | null }

/** Liquidity in a range of a pool's prices; what is owed is as of the last indexed block, fees included. */
export type PositionView = {
  id: string
  owner: string
  pool: PoolView
  tickLower: number
  tickUpper: number
  liquidity: bigint
  /** What the liquidity would give if it were burnt at the present price, rounded down; fees not included. */
  amount0: bigint
  amount1: bigint
  tokensOwed0: bigint
  tokensOwed1: bigint
  isPrivate: boolean
  /** Null where it is not frozen. */
  frozenAtMs: number | null
  createdAtMs: number
  lastTransaction: string
}

/** What waits for a wallet. */
export type UnclaimedView = {
  /** Swaps with an output not yet claimed, or not all of it; oldest first. */
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
