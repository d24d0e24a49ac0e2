import type { ChainEvent } from '../../chain/event.ts'
import { addMember, type Journal, rememberMembers, setFields } from '../../journal.ts'
import { logFaucetRecord } from '../history/faucet-records.ts'
import type { IndexState } from '../index-state.ts'
import type { Folding } from './fold-block.ts'

/** Another configuration, and which of its keys have changed. */
export function foldConfig(
  state: IndexState,
  { configuration, changes }: Extract<ChainEvent, { kind: 'configChanged' }>,
  { changed }: Folding,
): void {
  setFields(state.journal, state, { protocol: configuration })
  changed.configChanges.push(...changes)
}

/** A pair of tokens is paused, or no longer. */
export function foldPairPaused(
  state: IndexState,
  { pair, paused }: Extract<ChainEvent, { kind: 'pairPaused' }>,
): void {
  setMember(state.journal, state.pausedPairs, pair, paused)
}

/** A token comes on the allowlist, or leaves it. */
export function foldTokenListed(
  state: IndexState,
  { tokenId, listed }: Extract<ChainEvent, { kind: 'tokenListed' }>,
): void {
  setMember(state.journal, state.allowlist.tokens, tokenId, listed)
}

/** A pair comes on the allowlist, or leaves it. */
export function foldPairListed(
  state: IndexState,
  { pair, listed }: Extract<ChainEvent, { kind: 'pairListed' }>,
): void {
  setMember(state.journal, state.allowlist.pairs, pair, listed)
}

/** A record for each token that a claim gave. */
export function foldFaucetClaimed(
  state: IndexState,
  { recipient, records }: Extract<ChainEvent, { kind: 'faucetClaimed' }>,
  { height, timeMs, transactionId }: Folding,
): void {
  const claimed = { recipient, transaction: transactionId, block: height, atMs: timeMs }
  for (const { id, tokenId, amount } of records) logFaucetRecord(state, { id, tokenId, amount, ...claimed })
}

// `isIn` is what the set shall be, straight from an event: a name for each of two calls would say no more.
function setMember(journal: Journal, set: Set<string>, item: string, isIn: boolean): void {
  if (isIn) addMember(journal, set, item)
  else removeListed(journal, set, item)
}

/** Remembers them all, as readers get them in order; to take one away is rare. */
export function removeListed(journal: Journal, set: Set<string>, item: string): void {
  rememberMembers(journal, set)
  set.delete(item)
}
