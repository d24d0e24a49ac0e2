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
      kind: 'addLiquidity'
      sender: string
      pool: string
      tickLower: number
      tickUpper: number
      liquidity: bigint
    }
  | SwapTransaction
  | { kind: 'claim'; sender: string; swapId: string }
  | { kind: 'changeConfig'; sender: string; change: ConfigChange }

export type SwapTransaction = {
  kind: 'swap'
  sender: string
  recipient: string
  tokenIn: string
  /** Keys of the pools in order, one to three. */
  pools: readonly string[]
  amountIn: bigint
  amountOutMin: bigint
}

/** What a revision of the configuration may touch, and the key within it. */
export type ConfigChange = { scope: 'fee_tiers' | 'pause' | 'allowlist' | 'pool_creation'; key: string }
