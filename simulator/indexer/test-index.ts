import { createTestChain, poolTransactions, type TestChain, tokenId } from '../chain/test-chain.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { IndexState } from './index-state.ts'
import { createIndexer } from './indexer.ts'
import type { BlockUpdate, Views } from './views/views.ts'

export type TestIndex = {
  chain: TestChain
  views: Views
  state: IndexState
  /** Mines a block with the transactions, a minute after the last one, and indexes it. */
  step(...transactions: readonly Transaction[]): BlockUpdate
}

/**
 * A test chain with an indexer that follows it; USD is the stable token. Pools are pairs of symbols, one block each.
 */
export function createTestIndex(options: {
  symbols: readonly string[]
  pools: readonly (readonly [string, string])[]
}): TestIndex {
  const chain = createTestChain(options.symbols)
  const indexer = createIndexer({ stableTokenId: tokenId('USD') })
  for (const block of chain.blocks) indexer.index(block)
  const step = (...transactions: readonly Transaction[]): BlockUpdate => {
    chain.mine(...transactions)
    const block = chain.blocks.at(-1)
    if (!block) throw new RangeError('nothing was mined')
    return indexer.index(block)
  }
  for (const [a, b] of options.pools) step(...poolTransactions(a, b))
  return { chain, views: indexer.views, state: indexer.state, step }
}
