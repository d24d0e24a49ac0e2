import { collectProtocol } from '../../amm/collect.ts'
import { setProtocolFee } from '../../amm/protocol-fee.ts'
import type { ChainEvent, ProtocolCollected } from '../../chain/event.ts'
import { rememberFields } from '../../journal.ts'
import { type IndexState, indexedPool } from '../index-state.ts'
import type { Folding } from './fold-block.ts'
import { touchPool } from './fold-pools.ts'

/** The protocol's part in a pool's fees, from here on. */
export function foldProtocolFeeSet(
  state: IndexState,
  { pool: key, ...fee }: Extract<ChainEvent, { kind: 'protocolFeeSet' }>,
): void {
  const { amm } = indexedPool(state, key)
  const { feeProtocol0, feeProtocol1 } = amm
  rememberFields(state.journal, amm, { feeProtocol0, feeProtocol1 })
  setProtocolFee(amm, fee)
}

/** Takes what was paid to the protocol from what the pool keeps for it. */
export function foldProtocolCollected(
  state: IndexState,
  { pool: key, amount0, amount1 }: ProtocolCollected,
  { changed }: Folding,
): void {
  const pool = indexedPool(state, key)
  const { protocolFees0, protocolFees1 } = pool.amm
  touchPool(state.journal, pool, changed)
  rememberFields(state.journal, pool.amm, { protocolFees0, protocolFees1 })
  collectProtocol(pool.amm, { amount0, amount1 })
  pool.balance0 -= amount0
  pool.balance1 -= amount1
}
