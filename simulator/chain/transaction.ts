import type { TokenDraft } from './event.ts'

/** What agents ask of the chain. Amounts are base units. */
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
  /** 0 only brings the fees owed up to date. */
  | { kind: 'burnPosition'; sender: string; position: string; liquidity: bigint }
  /** Pays out what is owed, at most so much of either token. */
  | { kind: 'collectPosition'; sender: string; position: string; amount0Max: bigint; amount1Max: bigint }
  | { kind: 'freezePosition'; sender: string; position: string }
  | { kind: 'unfreezePosition'; sender: string; position: string }
  | SwapTransaction
  /** All that remains where no amount is named. */
  | { kind: 'claim'; sender: string; swapId: string; amount?: bigint }
  | { kind: 'changeConfig'; sender: string; change: ConfigChange }
  /** Pays out of the protocol's share of a pool's fees, at most so much of either token. */
  | {
      kind: 'collectProtocol'
      sender: string
      pool: string
      recipient: string
      amount0Max: bigint
      amount1Max: bigint
    }
  /** What the faucet gives from here on: three tokens, an amount of each. */
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

/** What a revision of the configuration may touch, and the key within it. */
export type ConfigChange = { scope: ConfigScope; key: string }

export const CONFIG_SCOPES = ['fee_tiers', 'pause', 'allowlist', 'pool_creation', 'protocol_fee'] as const
export type ConfigScope = (typeof CONFIG_SCOPES)[number]

export type FaucetGrant = { tokenId: string; amount: bigint }
export type FaucetGrants = readonly [FaucetGrant, FaucetGrant, FaucetGrant]
