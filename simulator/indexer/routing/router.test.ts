import { expect, test } from 'vitest'
import { compareFields } from '../../chain/identifiers.ts'
import {
  buildPoolKey,
  configure,
  poolTransactions,
  swapTransaction,
  tokenId,
} from '../../chain/test-chain.ts'
import { createTestIndex, type TestIndex } from '../test-index.ts'

const ROW = ['USD', 'A', 'B', 'C', 'D']
const row = () =>
  createTestIndex({
    symbols: [...ROW, 'LONE'],
    pools: ROW.slice(1).map((symbol, index) => [ROW[index] ?? '', symbol]),
  })
const request = ({ views }: TestIndex, from: string, to: string, amountIn = 1_000_000n, hopsMax = 3) =>
  views.route({ tokenIn: tokenId(from), tokenOut: tokenId(to), amountIn, hopsMax })

test.each([
  ['USD', 'A', 1],
  ['USD', 'B', 2],
  ['USD', 'C', 3],
  ['D', 'A', 3],
] as const)('from %s to %s takes %i hops', (from, to, hops) => {
  expect(request(row(), from, to)?.hops).toHaveLength(hops)
})

test('no route over four hops, unless four are allowed', () => {
  const index = row()
  expect(request(index, 'USD', 'D')).toBeUndefined()
  expect(request(index, 'USD', 'D', 1_000_000n, 4)?.hops).toHaveLength(4)
})

test.each([
  ['to a token without pools', 'USD', 'LONE', 1n],
  ['from a token without pools', 'LONE', 'USD', 1_000n],
  ['to the token itself', 'USD', 'USD', 1_000n],
  ['of zero', 'USD', 'A', 0n],
  ['of too little for one unit', 'USD', 'A', 1n],
  ['of more than pools can take', 'USD', 'A', 10n ** 60n],
] as const)('no route %s', (_, from, to, amount) => {
  expect(request(row(), from, to, amount)).toBeUndefined()
})

test('the chain pays the quoted amount', () => {
  const index = row()
  const route = request(index, 'USD', 'C', 123_456_789n)
  index.step(swapTransaction(['USD', 'A', 'B', 'C'], 123_456_789n))
  const [swap] = index.views.swaps({ viewer: null, limit: 1, offset: 0 }).rows
  expect(swap?.outputAmount).toBe(route?.amountOut)
  expect(route).toMatchObject({ amountIn: 123_456_789n, protocolRevision: 2, block: { height: 4 } })
})

test('hops chain: each takes the output of the previous one', () => {
  const hops = request(row(), 'USD', 'C')?.hops ?? []
  expect(hops.map(({ tokenIn }) => tokenIn)).toEqual(['USD', 'A', 'B'].map(tokenId))
  expect(hops.map(({ tokenOut }) => tokenOut)).toEqual(['A', 'B', 'C'].map(tokenId))
  expect(hops.slice(1).map(({ amountIn }) => amountIn)).toEqual(
    hops.slice(0, -1).map(({ amountOut }) => amountOut),
  )
})

test('a pause ends all routes, a disabled pool those through it', () => {
  const index = row()
  index.step(configure('pause', buildPoolKey('A', 'B')))
  expect([request(index, 'USD', 'A'), request(index, 'USD', 'B')].map((route) => route?.hops.length)).toEqual(
    [1, undefined],
  )
  index.step(configure('pause', 'all'))
  expect(request(index, 'USD', 'A')).toBeUndefined()
})

test('of two ways with the same output, the one through the older pools', () => {
  const index = createTestIndex({
    symbols: ['USD', 'A', 'B', 'C'],
    pools: [
      ['USD', 'B'],
      ['USD', 'A'],
      ['A', 'C'],
      ['B', 'C'],
    ],
  })
  expect(request(index, 'USD', 'C')?.hops.map(({ pool }) => pool)).toEqual([
    buildPoolKey('USD', 'B'),
    buildPoolKey('B', 'C'),
  ])
})

test('of two ways with the same output, the shorter one, even through a younger pool', () => {
  const index = createTestIndex({
    symbols: ['USD', 'B', 'C'],
    pools: [
      ['USD', 'B'],
      ['B', 'C'],
    ],
  })
  expect(request(index, 'USD', 'C', 5n)?.amountOut).toBe(1n)
  // Five units give one through two pools at par, and one through a pool at 0.36: 4 x 0.36, rounded down.
  const usdIs0 = compareFields(tokenId('USD'), tokenId('C')) < 0
  const sqrtPriceX96 = usdIs0 ? (6n << 96n) / 10n : (10n << 96n) / 6n
  index.step(...poolTransactions('USD', 'C', 10n ** 12n, sqrtPriceX96))
  const route = request(index, 'USD', 'C', 5n)
  expect(route?.hops.map(({ pool }) => pool)).toEqual([buildPoolKey('USD', 'C')])
  expect(route?.amountOut).toBe(1n)
})
