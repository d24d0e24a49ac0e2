import {
  buildPoolKey,
  createTestChain,
  poolTransactions,
  type TestChain,
  tokenId,
} from '../chain/test-chain.ts'
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

/**
 * A pair for tests that compute a pool's figures by hand: A is token0, USD is token1. Its pool starts with a million of
 * either at one to one and a fee of 0.3 %: its liquidity is 10^12.
 */
export const PAIR = { token0: 'A', token1: 'USD', key: buildPoolKey('A', 'USD') }

/** From √P = 1 to 1/2: 10^12 of token0, plus the fee, for 10^12 × (1 - 1/2) of token1. */
export const TO_A_HALF = { amountIn: 1_003_009_027_082n, amountOut: 500_000_000_000n }
/** From √P = 1/2 to 3/4: 10^12 × 1/4 of token1, plus the fee, for 10^12 × (2 - 4/3) of token0. */
export const TO_THREE_QUARTERS = { amountIn: 250_752_256_771n, amountOut: 666_666_666_666n }
/** To 7/8: 10^12 × 1/8 of token1, plus the fee, for 10^12 × (4/3 - 8/7) of token0. */
export const TO_SEVEN_EIGHTHS = { amountIn: 125_376_128_386n, amountOut: 190_476_190_476n }
