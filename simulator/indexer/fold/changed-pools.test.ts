import { expect, test } from 'vitest'
import { undoLastBlock } from '../../chain/chain.ts'
import { keyOf, poolTransactions, swapTransaction } from '../../chain/test-chain.ts'
import { undoBlock } from '../../journal.ts'
import { createTestIndex } from '../test-index.ts'
import { journalMark, poolsChangedSince } from './changed-pools.ts'

const open = () => {
  const index = createTestIndex({
    symbols: ['USD', 'A', 'B', 'C'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
      ['B', 'C'],
    ],
  })
  const { state } = index
  const mark = journalMark(state)
  const changed = (since = mark) => {
    const pools = poolsChangedSince(state, since)
    return pools && [...pools].map(({ key }) => key)
  }
  return { ...index, mark, changed }
}

test('tells the pools that later blocks traded in, made and moved, each once', () => {
  const { step, state, changed } = open()
  expect(changed()).toEqual([])
  step(swapTransaction(['USD', 'A', 'B'], 1_000_000n))
  step(...poolTransactions('USD', 'C'), swapTransaction(['A', 'B'], 1_000_000n))
  expect(changed()).toEqual([keyOf('USD', 'A'), keyOf('A', 'B'), keyOf('USD', 'C')])
  const since = journalMark(state)
  step(swapTransaction(['B', 'C'], 1_000_000n))
  expect(changed(since)).toEqual([keyOf('B', 'C')])
})

test('does not tell what came since a block that was undone, that is forgotten, or that was never there', () => {
  const { chain, step, state, changed } = open()
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  const undone = journalMark(state)
  undoBlock(state.journal)
  undoLastBlock(chain.state)
  expect(changed()).toEqual([])
  step(swapTransaction(['USD', 'A'], 2_000_000n))
  expect(changed(undone)).toBeUndefined()
  expect(poolsChangedSince(state, undefined)).toBeUndefined()
  for (let block = 0; block < state.journal.depthMax; block++) step()
  expect(changed()).toBeUndefined()
})

test('does not tell of a state that a copy has taken the place of', () => {
  const { state, step, changed } = open()
  const copy = structuredClone(state)
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  Object.assign(state, copy)
  expect(changed()).toBeUndefined()
})
