import type { ProtocolFee } from '../amm/fees.ts'
import type { Swap } from '../amm/swap.ts'

/** Amounts are base units. */
export type Transaction =
  | { kind: 'registerToken'; sender: string; token: TokenDraft }
  | {
      kind: 'mintToken'
      sender: string
      tokenId: string
      shares: readonly { recipient: string; amount: bigint }[]
    }
  | {
      kind: 'createPool'
      sender: string
      tokenA: string
      tokenB: string
      feePips: number
      sqrtPriceX96: bigint
    }
  | {
      kind: 'mintPosition'
      sender: string
      pool: string
      tickLower: number
      tickUpper: number
      liquidity: bigint
      isPrivate: boolean
    }
  | { kind: 'increasePosition'; sender: string; position: string; liquidity: bigint }
  /** 0 only updates the fees owed. */
  | { kind: 'burnPosition'; sender: string; position: string; liquidity: bigint }
  /** Pays out at most these amounts of the tokens owed. */
  | { kind: 'collectPosition'; sender: string; position: string; amount0Max: bigint; amount1Max: bigint }
  | { kind: 'freezePosition'; sender: string; position: string }
  | { kind: 'unfreezePosition'; sender: string; position: string }
  | SwapTransaction
  /** Without an amount: all that remains. */
  | { kind: 'claim'; sender: string; swapId: string; amount?: bigint }
  | { kind: 'changeConfig'; sender: string; change: ConfigChange }
  /** Pays out at most these amounts of the protocol's share of a pool's fees. */
  | {
      kind: 'collectProtocol'
      sender: string
      pool: string
      recipient: string
      amount0Max: bigint
      amount1Max: bigint
    }
  | { kind: 'setFaucet'; sender: string; grants: FaucetGrants }
  | { kind: 'claimFaucet'; sender: string; recipient: string }

export type SwapTransaction = {
  kind: 'swap'
  sender: string
  recipient: string
  tokenIn: string
  /** Keys of the pools in order, one to three. */
  pools: readonly string[]
  amountIn: bigint
  amountOutMin: bigint
  isPrivate: boolean
}

export type ConfigChange = { scope: ConfigScope; key: string }

export const CONFIG_SCOPES = ['fee_tiers', 'pause', 'allowlist', 'pool_creation', 'protocol_fee'] as const
export type ConfigScope = (typeof CONFIG_SCOPES)[number]

export type FaucetGrant = { tokenId: string; amount: bigint }
export type FaucetGrants = readonly [FaucetGrant, FaucetGrant, FaucetGrant]

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
 * The configuration without its lists, which have separate events so that an event's size is that of the change. Every change of
 * either raises the revision by one.
 */
export type Configuration = {
  revision: number
  paused: boolean
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  feeTiers: readonly FeeTier[]
}

export type PoolAfter = { sqrtPriceX96: bigint; tick: number; liquidity: bigint }

/** Complete effect of a swap on a pool: a reader that applies it has the pool's state, ticks and fee growth included. */
export type SwapHop = Swap & { pool: string; amountIn: bigint; amountOut: bigint }

/** Readers of the chain see only events. Amounts are base units. */
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

/** `liquidityDelta` and the amounts are negative for a burn, whose amounts are owed until collected. */
export type LiquidityChanged = {
  kind: 'liquidityChanged'
  position: string
  pool: string
  liquidityDelta: bigint
  amount0: bigint
  amount1: bigint
} & PoolAfter

/** Paid out by the pool. Closes a position without liquidity or tokens owed. */
export type PositionCollected = {
  kind: 'positionCollected'
  position: string
  pool: string
  amount0: bigint
  amount1: bigint
  closed: boolean
}

/** Paid out by the pool, from the protocol's share of its fees. */
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
