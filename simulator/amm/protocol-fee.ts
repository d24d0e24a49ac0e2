import { AmmError } from './amm-error.ts'
import type { Pool } from './pool.ts'

export type ProtocolFee = { feeProtocol0: number; feeProtocol1: number }

/** All that there are: one part in so many, or none. */
export const PROTOCOL_FEES: readonly number[] = [0, 4, 5, 6, 7, 8, 9, 10]

/** The protocol's part of swap fees from now on, one in so many; 0: none (UniswapV3Pool.setFeeProtocol). */
export function setProtocolFee(pool: Pool, { feeProtocol0, feeProtocol1 }: ProtocolFee): void {
  if (!isProtocolFee(feeProtocol0) || !isProtocolFee(feeProtocol1)) throw new AmmError('feeProtocol')
  pool.feeProtocol0 = feeProtocol0
  pool.feeProtocol1 = feeProtocol1
}

/** Whether the protocol may take one part in so many. */
export function isProtocolFee(part: number): boolean {
  return PROTOCOL_FEES.includes(part)
}
