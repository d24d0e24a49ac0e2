import type { ChainEvent } from '../chain/event.ts'
import type { Folding } from './fold-block.ts'
import { type IndexState, indexedToken } from './index-state.ts'

export function foldConfig(
  state: IndexState,
  { configuration, changes }: Extract<ChainEvent, { kind: 'configChanged' }>,
  { changed }: Folding,
): void {
  state.protocol = configuration
  changed.configChanges.push(...changes)
}

export function foldPairPaused(
  state: IndexState,
  { pair, paused }: Extract<ChainEvent, { kind: 'pairPaused' }>,
): void {
  setMember(state.pausedPairs, pair, paused)
}

export function foldTokenListed(
  state: IndexState,
  { tokenId, listed }: Extract<ChainEvent, { kind: 'tokenListed' }>,
): void {
  setMember(state.allowlist.tokens, tokenId, listed)
}

export function foldPairListed(
  state: IndexState,
  { pair, listed }: Extract<ChainEvent, { kind: 'pairListed' }>,
): void {
  setMember(state.allowlist.pairs, pair, listed)
}

export function foldFaucetClaimed(
  state: IndexState,
  { recipient, records }: Extract<ChainEvent, { kind: 'faucetClaimed' }>,
  { height, timeMs, transactionId }: Folding,
): void {
  const before = state.faucetRecords.get(recipient) ?? []
  const claimed = records.map(({ id, tokenId, amount }) => ({
    id,
    recipient,
    token: indexedToken(state, tokenId),
    amount,
    transaction: transactionId,
    block: height,
    atMs: timeMs,
  }))
  state.faucetRecords.set(recipient, [...before, ...claimed])
}

// `isIn` is what the set shall be, straight from an event: a name for each of two calls would say no more.
function setMember(set: Set<string>, item: string, isIn: boolean): void {
  if (isIn) set.add(item)
  else set.delete(item)
}
