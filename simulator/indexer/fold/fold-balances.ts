import type { ChainEvent } from '../../chain/event.ts'
import { putEntry } from '../../journal.ts'
import { type IndexState, indexedToken } from '../index-state.ts'
import type { Folding } from './fold-block.ts'

/** Adds the change to what was there: the balance that the chain states is for readers, and for the invariants to compare. */
export function foldBalance(
  state: IndexState,
  { address, tokenId, delta, balance }: Extract<ChainEvent, { kind: 'balanceChanged' }>,
  { height, changed }: Folding,
): void {
  const held = state.balances.get(address)
  if (held) putEntry(state.journal, held, tokenId, (held.get(tokenId) ?? 0n) + delta)
  else putEntry(state.journal, state.balances, address, new Map([[tokenId, delta]]))
  changed.balanceChanges.push({ address, token: indexedToken(state, tokenId), delta, balance, block: height })
}
