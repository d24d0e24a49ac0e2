import { setFields } from '../journal.ts'
import type { ChainEvent } from './event.ts'
import { changeBalance } from './ledger.ts'
import type { ChainPool, ChainState } from './state.ts'

/** What the pool holds from here on: negative for what it pays. */
export function addToPool({ journal }: ChainState, pool: ChainPool, delta0: bigint, delta1: bigint): void {
  setFields(journal, pool, { balance0: pool.balance0 + delta0, balance1: pool.balance1 + delta1 })
}

/** Moves the address's balances of the pool's tokens, and says so of each that moved. */
export function moveBalances(
  state: ChainState,
  address: string,
  { token0, token1 }: ChainPool,
  delta0: bigint,
  delta1: bigint,
): readonly ChainEvent[] {
  const moves = [
    { token: token0, delta: delta0 },
    { token: token1, delta: delta1 },
  ]
  return moves
    .filter(({ delta }) => delta !== 0n)
    .map(({ token, delta }) => changeBalance(state, address, token, delta))
}
