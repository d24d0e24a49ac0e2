import { AmmError } from './amm-error.ts'
import { UINT128_MAX } from './full-math.ts'
import type { Pool } from './pool.ts'
import { type Amounts, type PositionRange, positionKey } from './position.ts'

const ALL: Amounts = { amount0: UINT128_MAX, amount1: UINT128_MAX }
const NOTHING: Amounts = { amount0: 0n, amount1: 0n }

/**
 * Pays out tokens owed, by default all of them, at most the amount owed (UniswapV3Pool.collect). Fees are owed as of the last
 * mint or burn: a `burn` of 0 updates them. Deletes an empty position: no call can tell it from the contract's zeroed one. Throws
 * AmmError overflow for an amount above 128 bits.
 */
export function collect(pool: Pool, range: PositionRange, requested = ALL): Amounts {
  requireRequest(requested)
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) return NOTHING
  const amount0 = least(requested.amount0, position.tokensOwed0)
  const amount1 = least(requested.amount1, position.tokensOwed1)
  position.tokensOwed0 -= amount0
  position.tokensOwed1 -= amount1
  const empty = position.liquidity === 0n && position.tokensOwed0 === 0n && position.tokensOwed1 === 0n
  if (empty) pool.positions.delete(key)
  return { amount0, amount1 }
}

/**
 * Pays out the protocol's fees, by default all but one unit: like the contract, keeps one unit of a token requested in full, so
 * that its slot never empties (UniswapV3Pool.collectProtocol). Throws AmmError overflow as collect does.
 */
export function collectProtocol(pool: Pool, requested = ALL): Amounts {
  requireRequest(requested)
  const amount0 = protocolPayment(requested.amount0, pool.protocolFees0)
  const amount1 = protocolPayment(requested.amount1, pool.protocolFees1)
  pool.protocolFees0 -= amount0
  pool.protocolFees1 -= amount1
  return { amount0, amount1 }
}

function requireRequest({ amount0, amount1 }: Amounts): void {
  for (const amount of [amount0, amount1])
    if (amount < 0n || amount > UINT128_MAX) throw new AmmError('overflow')
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function protocolPayment(requested: bigint, fees: bigint): bigint {
  const amount = least(requested, fees)
  return amount > 0n && amount === fees ? amount - 1n : amount
}

export type ProtocolFee = { feeProtocol0: number; feeProtocol1: number }

/** Denominators of the protocol's share; 0: no share. */
export const PROTOCOL_FEES: readonly number[] = [0, 4, 5, 6, 7, 8, 9, 10]

/** Sets the protocol's share of swap fees to 1/N per token; 0: none (UniswapV3Pool.setFeeProtocol). */
export function setProtocolFee(pool: Pool, { feeProtocol0, feeProtocol1 }: ProtocolFee): void {
  if (!isProtocolFee(feeProtocol0) || !isProtocolFee(feeProtocol1)) throw new AmmError('feeProtocol')
  pool.feeProtocol0 = feeProtocol0
  pool.feeProtocol1 = feeProtocol1
}

export function isProtocolFee(part: number): boolean {
  return PROTOCOL_FEES.includes(part)
}
