import type { CandleInterval } from '../candle-interval.ts'
import type { TokenView } from './market-views.ts'

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
