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

/** The configuration as a whole; every change of it raises the revision by one. */
export type Configuration = {
  revision: number
  paused: boolean
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  feeTiers: readonly FeeTier[]
}

/** A pool's state after a swap or a change of liquidity. */
export type PoolAfter = { sqrtPriceX96: bigint; tick: number; liquidity: bigint }

export type SwapHop = PoolAfter & { pool: string; zeroForOne: boolean; amountIn: bigint; amountOut: bigint }

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
  | ({
      kind: 'liquidityAdded'
      pool: string
      owner: string
      tickLower: number
      tickUpper: number
      liquidityDelta: bigint
      amount0: bigint
      amount1: bigint
    } & PoolAfter)
  | SwapEvent
  | { kind: 'outputClaimed'; swapId: string; recipient: string; amount: bigint }
  | { kind: 'poolEnabled'; pool: string; enabled: boolean }
  | { kind: 'configChanged'; configuration: Configuration; changes: readonly ConfigChange[] }

export type SwapEvent = {
  kind: 'swapExecuted'
  swapId: string
  user: string
  recipient: string
  tokenIn: string
  tokenOut: string
  amountIn: bigint
  amountOut: bigint
  nonce: string
  hops: readonly SwapHop[]
}
