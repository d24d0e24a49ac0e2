import type { ChainEvent } from '../chain/event.ts'
import type { Folding } from './fold-block.ts'
import { type IndexState, indexedToken } from './index-state.ts'

/** Adds the change to what was there: the balance that the chain states is for readers, and for the invariants to compare. */
export function foldBalance(
  state: IndexState,
  { address, tokenId, delta, balance }: Extract<ChainEvent, { kind: 'balanceChanged' }>,
  { height, changed }: Folding,
): void {
  const held = state.balances.get(address) ?? new Map<string, bigint>()
  held.set(tokenId, (held.get(tokenId) ?? 0n) + delta)
  state.balances.set(address, held)
  changed.balanceChanges.push({ address, token: indexedToken(state, tokenId), delta, balance, block: height })
}
