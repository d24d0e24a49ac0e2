import type { ChainEvent } from '../chain/event.ts'
import { type IndexState, indexedToken } from './index-state.ts'

export function foldTokenRegistered(
  state: IndexState,
  { token }: Extract<ChainEvent, { kind: 'tokenRegistered' }>,
): void {
  state.tokens.set(token.id, { ...token, supply: 0n })
}

/** A token's view is replaced, and so are the views of its pools, which carry it. */
export function foldTokenMinted(
  state: IndexState,
  { tokenId, amount }: Extract<ChainEvent, { kind: 'tokenMinted' }>,
): void {
  const before = indexedToken(state, tokenId)
  const token = { ...before, supply: before.supply + amount }
  state.tokens.set(tokenId, token)
  for (const pool of state.poolsByToken.get(tokenId) ?? []) {
    const side = pool.view.token0.id === tokenId ? { token0: token } : { token1: token }
    pool.view = { ...pool.view, ...side }
  }
}
