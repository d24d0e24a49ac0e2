import type { ProtocolFee } from '../amm/protocol-fee.ts'
import type { Swap } from '../amm/swap.ts'
import type { ConfigChange } from './transaction.ts'

export type TokenDraft = {
  id: string
  address: string
  symbol: string
  name: string
  decimals: number
  ammTokenProgram: string
  underlyingProgram: string | null
  underlyingTokenId: string | null
  image: string | null
}

export type FeeTier = { feePips: number; tickSpacing: number; createdAtMs: number; transaction: string }

/**
 * The configuration but for its lists, which have events of their own so that a change costs no more than it changes.
 * Every change of either raises the revision by one.
 */
export type Configuration = {
  revision: number
  paused: boolean
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  feeTiers: readonly FeeTier[]
}

/** A pool's state after a swap or a change of liquidity. */
export type PoolAfter = { sqrtPriceX96: bigint; tick: number; liquidity: bigint }

/** All that a swap did to a pool: a reader that applies it has the pool's state, ticks and fee growth included. */
export type SwapHop = Swap & { pool: string; amountIn: bigint; amountOut: bigint }

/** What happened: all that readers of the chain ever see. Amounts are base units. */
export type ChainEvent =
  | { kind: 'tokenRegistered'; token: TokenDraft }
  | { kind: 'tokenMinted'; tokenId: string; amount: bigint }
  | { kind: 'balanceChanged'; address: string; tokenId: string; delta: bigint; balance: bigint }
  | ({
      kind: 'poolCreated'
      pool: string
      token0: string
      token1: string
      feePips: number
      tickSpacing: number
    } & PoolAfter)
  | PositionOpened
  | LiquidityChanged
  | PositionCollected
  | { kind: 'positionFrozen'; position: string; frozenAtMs: number | null }
  | SwapEvent
  | { kind: 'outputClaimed'; swapId: string; recipient: string; amount: bigint; amountRemaining: bigint }
  | { kind: 'poolEnabled'; pool: string; enabled: boolean }
  | ({ kind: 'protocolFeeSet'; pool: string } & ProtocolFee)
  | ProtocolCollected
  | { kind: 'pairPaused'; pair: string; paused: boolean }
  | { kind: 'tokenListed'; tokenId: string; listed: boolean }
  | { kind: 'pairListed'; pair: string; listed: boolean }
  | { kind: 'configChanged'; configuration: Configuration; changes: readonly ConfigChange[] }
  | { kind: 'faucetClaimed'; recipient: string; records: readonly FaucetRecord[] }

export type PositionOpened = {
  kind: 'positionOpened'
  position: string
  owner: string
  pool: string
  tickLower: number
  tickUpper: number
  isPrivate: boolean
}

/** `liquidityDelta` and the amounts are negative for a burn, whose amounts are owed until they are collected. */
export type LiquidityChanged = {
  kind: 'liquidityChanged'
  position: string
  pool: string
  liquidityDelta: bigint
  amount0: bigint
  amount1: bigint
} & PoolAfter

/** Paid out by the pool. A position that has neither liquidity nor anything owed any more is closed. */
export type PositionCollected = {
  kind: 'positionCollected'
  position: string
  pool: string
  amount0: bigint
  amount1: bigint
  closed: boolean
}

/** Paid out by the pool, of the protocol's share of its fees. */
export type ProtocolCollected = {
  kind: 'protocolCollected'
  pool: string
  recipient: string
  amount0: bigint
  amount1: bigint
}

export type SwapEvent = {
  kind: 'swapExecuted'
  swapId: string
  user: string
  recipient: string
  tokenIn: string
  tokenOut: string
  amountIn: bigint
  amountOut: bigint
  isPrivate: boolean
  nonce: string
  hops: readonly SwapHop[]
}

export type FaucetRecord = { id: string; tokenId: string; amount: bigint }
