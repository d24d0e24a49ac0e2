import { expect, test } from 'vitest'
import { tokenId } from '../../chain/test-chain.ts'
import { createTestIndex } from '../test-index.ts'
import { onwardAtEnd, onwardOneHopBefore } from './onward.ts'
import { routeGraphOf } from './route-graph.ts'

const ROW = ['A', 'B', 'C']

/** A to C over B, from pools of a million either way at par; ALONE has none. */
function onwardInRow(hops: number) {
  const { state } = createTestIndex({
    symbols: [...ROW, 'ALONE'],
    pools: [
      ['A', 'B'],
      ['B', 'C'],
    ],
  })
  const graph = routeGraphOf(state)
  let onward = onwardAtEnd(graph, graph.tokens.get(tokenId('C')) ?? -1)
  for (let hop = 0; hop < hops; hop++) onward = onwardOneHopBefore(graph, onward)
  return ROW.map((symbol) => {
    const token = graph.tokens.get(tokenId(symbol)) ?? -1
    return { price: onward.prices[token], scarcity: onward.scarcities[token] }
  })
}

const NOWHERE = { price: Number.POSITIVE_INFINITY, scarcity: Number.POSITIVE_INFINITY }
/** In for one out, the fee of 0.3 % included. */
const PRICE = 1 / 0.997
const near = (value: number) => expect.closeTo(value, 9)

test('at the end a token is worth itself, and no other is', () => {
  expect(onwardInRow(0)).toEqual([NOWHERE, NOWHERE, { price: 1, scarcity: 0 }])
})

test('one hop before it takes the price of the pool, which is as scarce as what the pool holds', () => {
  const [a, b, c] = onwardInRow(1)
  expect([a, c]).toEqual([NOWHERE, NOWHERE])
  expect(b).toEqual({ price: near(PRICE), scarcity: near(1e-12) })
})

test('two hops before prices multiply, and scarcities add up at the price of what follows', () => {
  const [a, b, c] = onwardInRow(2)
  expect(a?.price).toBeCloseTo(PRICE ** 2, 9)
  expect((a?.scarcity ?? 0) / 1e-12).toBeCloseTo(1 + PRICE, 6)
  expect(b).toEqual(NOWHERE)
  // There and back: a bound looks at no pool that was taken before.
  expect(c?.price).toBeCloseTo(PRICE ** 2, 9)
})
