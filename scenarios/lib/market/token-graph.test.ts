import { expect, test } from 'vitest'
import { farthestPairs } from './token-graph.ts'

const chain = [
  { token0: 'a', token1: 'b' },
  { token0: 'b', token1: 'c' },
]

test('puts pairs without any way first, then the farthest', () => {
  expect(
    farthestPairs(['a', 'b', 'c', 'alone'], chain).map(({ tokenIn, tokenOut, distance }) => [
      `${tokenIn}>${tokenOut}`,
      distance,
    ]),
  ).toEqual([
    ['a>alone', Number.POSITIVE_INFINITY],
    ['b>alone', Number.POSITIVE_INFINITY],
    ['c>alone', Number.POSITIVE_INFINITY],
    ['alone>a', Number.POSITIVE_INFINITY],
    ['alone>b', Number.POSITIVE_INFINITY],
    ['alone>c', Number.POSITIVE_INFINITY],
    ['a>c', 2],
    ['c>a', 2],
    ['a>b', 1],
    ['b>a', 1],
    ['b>c', 1],
    ['c>b', 1],
  ])
})
