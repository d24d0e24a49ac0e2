import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../../tools/test/tree-sample.ts'
import { undoLastBlock } from '../../chain/chain.ts'
import {
  buildPoolKey,
  createTestChain,
  poolTransactions,
  swapTransaction,
  tokenId,
} from '../../chain/test-chain.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { undoBlock } from '../../undo-log.ts'
import { createSmallWorld } from '../../world/test-small-world.ts'
import type { World } from '../../world/world.ts'
import { createIndexer } from '../indexer.ts'
import { createTestIndex } from '../test-index.ts'
import { curveBounds } from './output-bound.ts'
import { getRouteGraph, journalMark, poolsChangedSince } from './route-graph.ts'
import { findRoute } from './router.ts'

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

const endsFrom = (graph: ReturnType<typeof getRouteGraph>, symbol: string) => {
  const names = [...graph.tokens.keys()]
  const legs = graph.legsFrom[graph.tokens.get(tokenId(symbol)) ?? -1] ?? []
  return legs.map((leg) => names[graph.ends[leg] ?? -1])
}

test('grows with the pools, and takes its curves from the head', () => {
  const { state, follow } = following()
  const [before] = getRouteGraph(state).prices
  expect(getRouteGraph(state)).toBe(getRouteGraph(state))
  follow(...poolTransactions('USD', 'B'), swapTransaction(['USD', 'A'], 10n ** 11n))
  const { pools, prices, scarcities } = getRouteGraph(state)
  expect(endsFrom(getRouteGraph(state), 'USD')).toEqual(['A', 'B'].map(tokenId))
  expect(prices[0]).not.toBe(before)
  const curves = pools.flatMap(({ amm }) => Object.values(curveBounds(amm)))
  expect(prices.map((price, leg) => ({ price, scarcity: scarcities[leg] }))).toEqual(curves)
})

test('after a revert it has the restored pools, even if the head has an earlier hash', () => {
  const { state, follow } = following()
  const snapshot = structuredClone(state)
  getRouteGraph(state)
  follow(swapTransaction(['USD', 'A'], 10n ** 11n))
  Object.assign(state, snapshot)
  expect(getRouteGraph(state).pools[0]).toBe([...snapshot.pools.values()][0])
})

test('after a block is undone it has the pools that came instead', () => {
  const { chain, indexer, state, follow } = following()
  follow(...poolTransactions('USD', 'B'))
  expect(endsFrom(getRouteGraph(state), 'USD')).toEqual(['A', 'B'].map(tokenId))
  indexer.undo()
  undoLastBlock(chain.state)
  follow(...poolTransactions('USD', 'C'))
  expect(endsFrom(getRouteGraph(state), 'USD')).toEqual(['A', 'C'].map(tokenId))
})

const STEPS = {
  mine: (world: World) => world.mine(),
  'mine more': (world: World) => world.mine(5),
  'mine more than the journal keeps': (world: World) => world.mine(70),
  reorg: (world: World) => world.reorg(3),
  hold: (world: World) => world.holdIndexer(),
  release: (world: World) => world.releaseIndexer(),
} satisfies Record<string, (world: World) => void>

const anyStep = fc.record({
  step: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[]), 'snapshot', 'revert'),
  /** Some blocks pass without a query. */
  asks: fc.boolean(),
})

test('a cached graph equals a new one and gives the same routes after any change', () => {
  let routes = 0
  fc.assert(
    fc.property(fc.nat(1000), fc.array(anyStep, { minLength: 6, maxLength: 14 }), (seed, steps) => {
      const { world } = createSmallWorld(seed)
      const { index } = world.state()
      let snapshot = world.snapshot()
      for (const { step, asks } of steps) {
        if (step === 'snapshot') snapshot = world.snapshot()
        else if (step === 'revert') world.revert(snapshot)
        else STEPS[step as keyof typeof STEPS](world)
        if (!asks) continue
        // Another object: nothing is cached for it.
        const fresh = { ...index }
        const [{ pools: keptPools, ...kept }, { pools, ...graph }] = [
          getRouteGraph(index),
          getRouteGraph(fresh),
        ]
        expect(kept).toEqual(graph)
        expect(keptPools.every((pool, sequence) => pool === pools[sequence])).toBe(true)
        const tokens = [...index.tokens.keys()]
        for (const [place, tokenIn] of tokens.entries()) {
          const query = { tokenIn, tokenOut: tokens[place - 1] ?? '', amountIn: 10n ** 6n, hopsMax: 3 }
          const route = findRoute(index, query)
          expect(route).toEqual(findRoute(fresh, query))
          if (route) routes += 1
        }
      }
    }),
    { seed: 3, numRuns: IN_FULL ? 10 : 4 },
  )
  expect(routes).toBeGreaterThan(100)
})

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

test('returns the pools that later blocks traded in, created and changed, each once', () => {
  const { step, state, changed } = open()
  expect(changed()).toEqual([])
  step(swapTransaction(['USD', 'A', 'B'], 1_000_000n))
  step(...poolTransactions('USD', 'C'), swapTransaction(['A', 'B'], 1_000_000n))
  expect(changed()).toEqual([buildPoolKey('USD', 'A'), buildPoolKey('A', 'B'), buildPoolKey('USD', 'C')])
  const since = journalMark(state)
  step(swapTransaction(['B', 'C'], 1_000_000n))
  expect(changed(since)).toEqual([buildPoolKey('B', 'C')])
})

test('returns undefined for changes since a block that was undone, is forgotten, or never existed', () => {
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

test('returns undefined for a state that a copy has replaced', () => {
  const { state, step, changed } = open()
  const copy = structuredClone(state)
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  Object.assign(state, copy)
  expect(changed()).toBeUndefined()
})
