import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { compareFields } from '../chain/identifiers.ts'
import type { ChainPool } from '../chain/state.ts'
import { configure, keyOf, poolTransactions, swapTransaction, tokenId } from '../chain/test-chain.ts'
import { createTestIndex, type TestIndex } from './test-index.ts'

const ROW = ['USD', 'A', 'B', 'C', 'D']
const row = () =>
  createTestIndex({
    symbols: [...ROW, 'LONE'],
    pools: ROW.slice(1).map((symbol, index) => [ROW[index] ?? '', symbol]),
  })
const ask = ({ views }: TestIndex, from: string, to: string, amountIn = 1_000_000n, hopsMax = 3) =>
  views.route({ tokenIn: tokenId(from), tokenOut: tokenId(to), amountIn, hopsMax })

test.each([
  ['USD', 'A', 1],
  ['USD', 'B', 2],
  ['USD', 'C', 3],
  ['D', 'A', 3],
] as const)('from %s to %s takes %i hops', (from, to, hops) => {
  expect(ask(row(), from, to)?.hops).toHaveLength(hops)
})

test('there is no route over four hops, unless four are allowed', () => {
  const index = row()
  expect(ask(index, 'USD', 'D')).toBeUndefined()
  expect(ask(index, 'USD', 'D', 1_000_000n, 4)?.hops).toHaveLength(4)
})

test.each([
  ['to a token without pools', 'USD', 'LONE', 1n],
  ['from a token without pools', 'LONE', 'USD', 1_000n],
  ['to the token itself', 'USD', 'USD', 1_000n],
  ['of nothing', 'USD', 'A', 0n],
  ['of less than gives a unit', 'USD', 'A', 1n],
  ['of more than pools can take', 'USD', 'A', 10n ** 60n],
] as const)('there is no route %s', (_, from, to, amount) => {
  expect(ask(row(), from, to, amount)).toBeUndefined()
})

test('a route is what the chain then pays', () => {
  const index = row()
  const route = ask(index, 'USD', 'C', 123_456_789n)
  index.step(swapTransaction(['USD', 'A', 'B', 'C'], 123_456_789n))
  const [swap] = index.views.swaps({ limit: 1, offset: 0 }).rows
  expect(swap?.outputAmount).toBe(route?.amountOut)
  expect(route).toMatchObject({ amountIn: 123_456_789n, protocolRevision: 2, block: { height: 4 } })
})

test('hops chain: each takes what the one before gives', () => {
  const hops = ask(row(), 'USD', 'C')?.hops ?? []
  expect(hops.map(({ tokenIn }) => tokenIn)).toEqual(['USD', 'A', 'B'].map(tokenId))
  expect(hops.map(({ tokenOut }) => tokenOut)).toEqual(['A', 'B', 'C'].map(tokenId))
  expect(hops.slice(1).map(({ amountIn }) => amountIn)).toEqual(
    hops.slice(0, -1).map(({ amountOut }) => amountOut),
  )
})

test('a pause ends all routes, a disabled pool those over it', () => {
  const index = row()
  index.step(configure('pause', keyOf('A', 'B')))
  expect([ask(index, 'USD', 'A'), ask(index, 'USD', 'B')].map((route) => route?.hops.length)).toEqual([
    1,
    undefined,
  ])
  index.step(configure('pause', 'all'))
  expect(ask(index, 'USD', 'A')).toBeUndefined()
})

test('of two ways that give the same, the one over the older pools', () => {
  const index = createTestIndex({
    symbols: ['USD', 'A', 'B', 'C'],
    pools: [
      ['USD', 'B'],
      ['USD', 'A'],
      ['A', 'C'],
      ['B', 'C'],
    ],
  })
  expect(ask(index, 'USD', 'C')?.hops.map(({ pool }) => pool)).toEqual([keyOf('USD', 'B'), keyOf('B', 'C')])
})

test('of two ways that give the same, the shorter one, even over a younger pool', () => {
  const index = createTestIndex({
    symbols: ['USD', 'B', 'C'],
    pools: [
      ['USD', 'B'],
      ['B', 'C'],
    ],
  })
  expect(ask(index, 'USD', 'C', 5n)?.amountOut).toBe(1n)
  // Five units give one over two pools at par, and one over a pool at 0.36 as well: 4 x 0.36, rounded down.
  const usdIs0 = compareFields(tokenId('USD'), tokenId('C')) < 0
  const sqrtPriceX96 = usdIs0 ? (6n << 96n) / 10n : (10n << 96n) / 6n
  index.step(...poolTransactions('USD', 'C', 10n ** 12n, sqrtPriceX96))
  const route = ask(index, 'USD', 'C', 5n)
  expect(route?.hops.map(({ pool }) => pool)).toEqual([keyOf('USD', 'C')])
  expect(route?.amountOut).toBe(1n)
})

test('agrees with trying every order of every pool', () => {
  const symbols = ['USD', 'A', 'B', 'C', 'D']
  const pairs = symbols.flatMap((a, index) => symbols.slice(index + 1).map((b) => [a, b] as const))
  const worlds = fc.record({
    pools: fc.uniqueArray(
      fc.record({
        pair: fc.constantFrom(...pairs),
        size: fc.bigInt({ min: 10n ** 4n, max: 10n ** 12n }),
        doublings: fc.integer({ min: -6, max: 6 }),
      }),
      { selector: ({ pair }) => pair.join(), maxLength: 10 },
    ),
    amountIn: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    hopsMax: fc.constantFrom(1, 2, 3),
  })
  let found = 0
  fc.assert(
    fc.property(worlds, ({ pools, amountIn, hopsMax }) => {
      const index = createTestIndex({ symbols, pools: [] })
      for (const { pair, size, doublings } of pools) {
        const sqrtPriceX96 = 1n << BigInt(96 + doublings)
        index.step(...poolTransactions(...pair, size, sqrtPriceX96))
      }
      const route = ask(index, 'USD', 'D', amountIn, hopsMax)
      const best = bruteForce(
        [...index.chain.state.pools.values()],
        tokenId('USD'),
        tokenId('D'),
        amountIn,
        hopsMax,
      )
      expect(route?.amountOut ?? 0n).toBe(best)
      expect(new Set(route?.hops.map(({ pool }) => pool)).size).toBe(route?.hops.length ?? 0)
      found += route ? 1 : 0
    }),
    { seed: 1, numRuns: 150 },
  )
  expect(found).toBeGreaterThan(50)
})

/** The most that any way gives, over the chain's own pools; 0 where there is none. */
function bruteForce(
  pools: readonly ChainPool[],
  token: string,
  tokenOut: string,
  amount: bigint,
  hopsLeft: number,
): bigint {
  if (token === tokenOut) return amount
  if (hopsLeft === 0) return 0n
  return pools.reduce((best, pool) => {
    const out = quote(pool, token, amount)
    const rest = pools.filter((other) => other !== pool)
    const next = pool.token0 === token ? pool.token1 : pool.token0
    const reached = out > 0n ? bruteForce(rest, next, tokenOut, out, hopsLeft - 1) : 0n
    return reached > best ? reached : best
  }, 0n)
}

function quote(pool: ChainPool, token: string, amount: bigint): bigint {
  if (token !== pool.token0 && token !== pool.token1) return 0n
  try {
    const { amount0, amount1 } = computeSwap(pool.amm, {
      zeroForOne: token === pool.token0,
      amountSpecified: amount,
    })
    const [paid, got] = token === pool.token0 ? [amount0, -amount1] : [amount1, -amount0]
    return paid === amount ? got : 0n
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
}
