import { expect, test } from 'vitest'
import { undoLastBlock } from '../chain/chain.ts'
import { createTestChain, poolTransactions, swapTransaction, tokenId } from '../chain/test-chain.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createIndexer } from './indexer.ts'
import { routeGraphOf, setRate } from './route-graph.ts'

function following() {
  const chain = createTestChain(['USD', 'A', 'B', 'C'])
  const indexer = createIndexer({ stableTokenId: tokenId('USD') })
  const follow = (...transactions: readonly Transaction[]) => {
    chain.mine(...transactions)
    for (const block of chain.blocks.splice(0)) indexer.index(block)
  }
  follow(...poolTransactions('USD', 'A'))
  return { chain, indexer, state: indexer.state, follow }
}

const endsFrom = (graph: ReturnType<typeof routeGraphOf>, symbol: string) => {
  const names = [...graph.tokens.keys()]
  const legs = graph.legsFrom[graph.tokens.get(tokenId(symbol)) ?? -1] ?? []
  return legs.map((leg) => names[graph.ends[leg] ?? -1])
}

test('grows with the pools, and takes its rates from the head', () => {
  const { state, follow } = following()
  const before = setRate(routeGraphOf(state), 0)
  expect(routeGraphOf(state)).toBe(routeGraphOf(state))
  follow(...poolTransactions('USD', 'B'), swapTransaction(['USD', 'A'], 10n ** 11n))
  expect(endsFrom(routeGraphOf(state), 'USD')).toEqual(['A', 'B'].map(tokenId))
  expect(routeGraphOf(state).rates[0]).toBe(0)
  expect(setRate(routeGraphOf(state), 0)).not.toBe(before)
})

test('after a revert it is of the pools put in place, though the head has the hash of one before', () => {
  const { state, follow } = following()
  const snapshot = structuredClone(state)
  routeGraphOf(state)
  follow(swapTransaction(['USD', 'A'], 10n ** 11n))
  Object.assign(state, snapshot)
  expect(routeGraphOf(state).pools[0]).toBe([...snapshot.pools.values()][0])
})

test('after a block was undone it is of the pools that came instead', () => {
  const { chain, indexer, state, follow } = following()
  follow(...poolTransactions('USD', 'B'))
  expect(endsFrom(routeGraphOf(state), 'USD')).toEqual(['A', 'B'].map(tokenId))
  indexer.undo()
  undoLastBlock(chain.state)
  follow(...poolTransactions('USD', 'C'))
  expect(endsFrom(routeGraphOf(state), 'USD')).toEqual(['A', 'C'].map(tokenId))
})
