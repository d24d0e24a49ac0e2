import { buildPoolKey } from '../chain/test-chain.ts'

/**
 * A pair for tests that compute a pool's figures by hand: A is token0, USD is token1. Its pool starts with a million of
 * either at one to one and a fee of 0.3 %: its liquidity is 10^12.
 */
export const PAIR = { token0: 'A', token1: 'USD', key: buildPoolKey('A', 'USD') }

/** From √P = 1 to 1/2: 10^12 of token0, plus the fee, for 10^12 × (1 - 1/2) of token1. */
export const TO_A_HALF = { amountIn: 1_003_009_027_082n, amountOut: 500_000_000_000n }
/** From √P = 1/2 to 3/4: 10^12 × 1/4 of token1, plus the fee, for 10^12 × (2 - 4/3) of token0. */
export const TO_THREE_QUARTERS = { amountIn: 250_752_256_771n, amountOut: 666_666_666_666n }
/** To 7/8: 10^12 × 1/8 of token1, plus the fee, for 10^12 × (4/3 - 8/7) of token0. */
export const TO_SEVEN_EIGHTHS = { amountIn: 125_376_128_386n, amountOut: 190_476_190_476n }
