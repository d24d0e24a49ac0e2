import { collectProtocol as collectFromAmm } from '../../amm/collect.ts'
import { isProtocolFee, type ProtocolFee, setProtocolFee } from '../../amm/protocol-fee.ts'
import { rememberFields } from '../../journal.ts'
import type { ChainEvent } from '../event.ts'
import { addToPool, moveBalances } from '../pool-ledger.ts'
import type { Program } from '../program.ts'
import { Refusal } from '../refusal.ts'
import type { ChainState } from '../state.ts'
import { requirePool } from './pools.ts'

/**
 * `POOL/PART0/PART1`: from here on the protocol gets one in so many of the pool's fees in either token, or none for 0,
 * as UniswapV3Pool.setFeeProtocol allows it. Nothing where the key does not say that.
 */
export function changeProtocolFee(state: ChainState, key: string): readonly ChainEvent[] {
  const [poolKey = '', ...parts] = key.split('/')
  const pool = state.pools.get(poolKey)
  const fee = protocolFeeOf(parts)
  if (!pool || !fee) return []
  const { feeProtocol0, feeProtocol1 } = pool.amm
  rememberFields(state.journal, pool.amm, { feeProtocol0, feeProtocol1 })
  setProtocolFee(pool.amm, fee)
  return [{ kind: 'protocolFeeSet', pool: poolKey, ...fee }]
}

function protocolFeeOf(parts: readonly string[]): ProtocolFee | undefined {
  const [feeProtocol0, feeProtocol1] = parts.filter((part) => /^(0|[1-9]\d*)$/.test(part)).map(Number)
  if (parts.length !== 2 || feeProtocol0 === undefined || feeProtocol1 === undefined) return undefined
  if (!isProtocolFee(feeProtocol0) || !isProtocolFee(feeProtocol1)) return undefined
  return { feeProtocol0, feeProtocol1 }
}

/**
 * Only the administrator has the protocol's share paid out, to whomever; of a token asked for entirely a unit stays.
 */
export const collectProtocol: Program<'collectProtocol'> = (state, transaction) => {
  const { sender, recipient, amount0Max, amount1Max } = transaction
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const pool = requirePool(state, transaction.pool)
  const { protocolFees0, protocolFees1 } = pool.amm
  rememberFields(state.journal, pool.amm, { protocolFees0, protocolFees1 })
  const { amount0, amount1 } = collectFromAmm(pool.amm, { amount0: amount0Max, amount1: amount1Max })
  if (amount0 === 0n && amount1 === 0n) throw new Refusal('nothing-owed')
  addToPool(state, pool, -amount0, -amount1)
  return [
    { kind: 'protocolCollected', pool: pool.key, recipient, amount0, amount1 },
    ...moveBalances(state, recipient, pool, amount0, amount1),
  ]
}
