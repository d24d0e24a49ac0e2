import type { ChainEvent } from '../../chain/event.ts'
import { putEntry } from '../../journal.ts'
import { type IndexState, indexedToken } from '../index-state.ts'
import type { Folding } from './fold-block.ts'

/** A token of which there is nothing yet. */
export function foldTokenRegistered(
  state: IndexState,
  { token }: Extract<ChainEvent, { kind: 'tokenRegistered' }>,
  { timeMs }: Folding,
): void {
  putEntry(state.journal, state.tokens, token.id, { ...token, createdAtMs: timeMs, supply: 0n })
}

/** Adds to a token's supply, in base units. */
export function foldTokenMinted(
  state: IndexState,
  { tokenId, amount }: Extract<ChainEvent, { kind: 'tokenMinted' }>,
): void {
  const token = indexedToken(state, tokenId)
  putEntry(state.journal, state.tokens, tokenId, { ...token, supply: token.supply + amount })
}
