export type BlockRef = { height: number; hash: string; timeMs: number }

export type TokenView = {
  /** Decimal digits and the suffix `field`: longer than any native number holds. */
  id: string
  address: string
  symbol: string
  name: string
  decimals: number
  ammTokenProgram: string
  underlyingProgram: string | null
  underlyingTokenId: string | null
  image: string | null
  createdAtMs: number
  supply: bigint
}

export type PoolView = {
  id: string
  key: string
  token0: TokenView
  token1: TokenView
  /** Hundredths of a basis point: 3000 is 0.3 %. */
  feePips: number
  tickSpacing: number
  enabled: boolean
  createdAtMs: number
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  balance0: bigint
  balance1: bigint
}
