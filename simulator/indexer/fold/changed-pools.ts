import type { Change } from '../../journal.ts'
import type { IndexedPool, IndexState } from '../index-state.ts'

/** A block, as the journal has it, to tell changes from; undefined before the first one. */
export type JournalMark = Change[] | undefined

/** The last block folded. */
export function journalMark({ journal }: IndexState): JournalMark {
  return journal.blocks.at(-1)
}

/**
 * The pools whose price or liquidity blocks after the marked one may have changed, and new ones. Undefined where the
 * journal does not tell: that block was undone or is forgotten, or another state has been put in place.
 */
export function poolsChangedSince(state: IndexState, mark: JournalMark): Set<IndexedPool> | undefined {
  const { blocks } = state.journal
  const place = mark ? blocks.lastIndexOf(mark) : -1
  if (place < 0) return undefined
  const changed = new Set<IndexedPool>()
  for (const change of blocks.slice(place + 1).flat()) {
    // Fields of a pool are remembered before its price or its liquidity changes anywhere: see touchPool.
    if (change.kind !== 'fields') continue
    const { key = '' } = change.target as Partial<IndexedPool> // as: what has no such key is no pool
    const pool = state.pools.get(key)
    if (pool && pool === change.target) changed.add(pool)
  }
  return changed
}
