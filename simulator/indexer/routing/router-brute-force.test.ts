import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../contract/limits.ts'
import { AmmError } from '../../amm/amm-error.ts'
import { Q96 } from '../../amm/full-math.ts'
import { fullRangeTicks } from '../../amm/position.ts'
import { computeSwap } from '../../amm/swap.ts'
import { tickAtSqrtPriceX96 } from '../../amm/tick-math.ts'
import { orderTokens, pairKey, tradingBar } from '../../chain/pair.ts'
import { poolKey } from '../../chain/programs/pools.ts'
import type { ChainPool, ChainState } from '../../chain/state.ts'
import { ADMIN, ALICE, configure, swapTransaction, tokenId } from '../../chain/test-chain.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { createTestIndex } from '../test-index.ts'

const SYMBOLS = ['USD', 'A', 'B', 'C', 'D']
const PAIRS = SYMBOLS.flatMap((a, index) => SYMBOLS.slice(index + 1).map((b): [string, string] => [a, b]))
const SPACINGS = { 500: 10, 3000: 60, 10000: 200 }
const TIERS = Object.keys(SPACINGS).map((feePips) => Number(feePips) as keyof typeof SPACINGS)

type PoolPlan = {
  pair: [string, string]
  feePips: keyof typeof SPACINGS
  size: bigint
  /** The square root of the price, in thousandths: routes take detours across pools with different prices. */
  sqrtPriceMilli: number
  /** Width of its liquidity, in spacings; null: the full range. */
  reach: number | null
}

const anyPool: fc.Arbitrary<PoolPlan> = fc.record({
  pair: fc.constantFrom(...PAIRS),
  feePips: fc.constantFrom(...TIERS),
  size: fc.oneof(fc.constant(10n ** 9n), fc.bigInt({ min: 10n ** 4n, max: 10n ** 12n })),
  sqrtPriceMilli: fc.oneof(fc.constantFrom(500, 1000, 2000), fc.integer({ min: 980, max: 1020 })),
  reach: fc.option(fc.integer({ min: 1, max: 40 })),
})

/** Disabled pools, paused pairs or unlisted tokens. */
const anyBar = fc.oneof(
  anyPool.map(({ pair, feePips }) => configure('pause', buildPoolKey(pair, feePips))),
  fc.constantFrom(...PAIRS).map(([a, b]) => configure('pause', pairKey(tokenId(a), tokenId(b)))),
  fc.constant(configure('allowlist', 'enabled')),
  fc.constantFrom('USD', 'A').map((symbol) => configure('allowlist', tokenId(symbol))),
)

const anyWorld = fc.record({
  pools: fc.uniqueArray(anyPool, {
    selector: ({ pair, feePips }) => buildPoolKey(pair, feePips),
    minLength: 8,
    maxLength: 20,
  }),
  // Nothing is barred at first; the list, once enabled, has all tokens except A.
  bars: fc.array(anyBar, { maxLength: 3 }),
  amountIn: fc.oneof(...[2, 8, 13].map((digits) => fc.bigInt({ min: 1n, max: 10n ** BigInt(digits) }))),
  hopsMax: fc.constantFrom(1, 2, 3, 4),
})

test('equals the best of all pool sequences, and the chain pays that amount', () => {
  const found = [0, 0, 0, 0, 0]
  const paid = { straight: 0, round: 0 }
  fc.assert(
    fc.property(anyWorld, ({ pools, bars, amountIn, hopsMax }) => {
      const { chain, views, step } = createTestIndex({ symbols: SYMBOLS, pools: [] })
      step(...TIERS.map((feePips) => configure('fee_tiers', `${feePips}/${SPACINGS[feePips]}`)))
      step(...['USD', 'B', 'C', 'D'].map((symbol) => configure('allowlist', tokenId(symbol))))
      for (const pool of pools) step(...openPool(pool))
      const [tokenIn, tokenOut] = [tokenId('USD'), tokenId('D')]
      const expectBest = () => {
        const best = tryAll(chain.state, { tokenIn, tokenOut, amountIn, hopsMax })
        const route = views.route({ tokenIn, tokenOut, amountIn, hopsMax })
        expect(route?.hops.map(({ pool }) => pool) ?? []).toEqual(best.pools)
        expect(route?.amountOut ?? 0n).toBe(best.amountOut)
        found[best.pools.length] = (found[best.pools.length] ?? 0) + 1
        return route
      }
      const route = expectBest()
      if (route && route.hops.length <= LIMITS.routeHopsMax) {
        step({ ...swapTransaction(['USD'], amountIn), pools: route.hops.map(({ pool }) => pool) })
        expect(views.swaps({ viewer: null, limit: 1, offset: 0 }).rows[0]?.outputAmount).toBe(route.amountOut)
        const tokens = new Set(route.hops.map((hop) => hop.tokenOut)).add(tokenIn)
        paid[tokens.size > route.hops.length ? 'straight' : 'round'] += 1
      }
      step(...bars)
      expectBest()
    }),
    { seed: 1, numRuns: 200 },
  )
  // No route, and routes of one to four hops, out of 400; those of at most three that visit a token twice.
  expect(Math.min(...found, paid.straight, paid.round)).toBeGreaterThan(10)
})

test('of two pools with the same output picks the older one, even if the bound of the younger one is looser', () => {
  const { chain, views, step } = createTestIndex({ symbols: SYMBOLS, pools: [] })
  step(...TIERS.map((feePips) => configure('fee_tiers', `${feePips}/${SPACINGS[feePips]}`)))
  const [tokenIn, tokenOut] = [tokenId('USD'), tokenId('D')]
  const sqrtPriceMilli = orderTokens(tokenIn, tokenOut)[0] === tokenIn ? 1004 : 996
  const plan = { pair: ['USD', 'D'] as [string, string], sqrtPriceMilli: 1000, reach: null }
  // 500 less 1 %, at 1.008: 498.97. In real numbers 499 for 499, since the pool is deep; 498 by the rounding of its
  // price.
  step(...openPool({ ...plan, feePips: 10000, size: 10n ** 12n, sqrtPriceMilli }))
  step(...openPool({ ...plan, feePips: 500, size: 10n ** 18n, reach: 1 }))
  const query = { tokenIn, tokenOut, amountIn: 500n, hopsMax: 1 }
  const outputs = [...chain.state.pools.values()].map((pool) => quote(pool, tokenIn, 500n))
  expect(outputs).toEqual([498n, 498n])
  expect(views.route(query)?.hops[0]?.pool).toBe(buildPoolKey(plan.pair, 10000))
})

type Best = { pools: readonly string[]; amountOut: bigint }
type Query = { tokenIn: string; tokenOut: string; amountIn: bigint; hopsMax: number }

/** Over the chain's own pools, oldest first: the first of the best ones uses the older pools. */
function tryAll(state: ChainState, { tokenIn, tokenOut, amountIn, hopsMax }: Query): Best {
  const open = [...state.pools.values()].filter((pool) => !tradingBar(state, pool))
  const ways: Best[] = []
  const go = (token: string, amount: bigint, pools: readonly ChainPool[]): void => {
    if (token === tokenOut) ways.push({ pools: pools.map(({ key }) => key), amountOut: amount })
    if (pools.length === hopsMax) return
    for (const pool of open) {
      if (pools.includes(pool)) continue
      const output = quote(pool, token, amount)
      if (output > 0n) go(pool.token0 === token ? pool.token1 : pool.token0, output, [...pools, pool])
    }
  }
  go(tokenIn, amountIn, [])
  return ways.reduce(
    (best, way) =>
      way.amountOut > best.amountOut ||
      (way.amountOut === best.amountOut && way.pools.length < best.pools.length)
        ? way
        : best,
    { pools: [], amountOut: 0n },
  )
}

function quote(pool: ChainPool, token: string, amount: bigint): bigint {
  if (token !== pool.token0 && token !== pool.token1) return 0n
  const zeroForOne = token === pool.token0
  try {
    const { amount0, amount1 } = computeSwap(pool.amm, { zeroForOne, amountSpecified: amount })
    const [paid, got] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return paid === amount ? got : 0n
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
}

function buildPoolKey([a, b]: readonly [string, string], feePips: number): string {
  return poolKey(tokenId(a), tokenId(b), feePips)
}

function openPool({ pair, feePips, size, sqrtPriceMilli, reach }: PoolPlan): readonly Transaction[] {
  const sqrtPriceX96 = (Q96 * BigInt(sqrtPriceMilli)) / 1000n
  const spacing = SPACINGS[feePips]
  const center = Math.floor(tickAtSqrtPriceX96(sqrtPriceX96) / spacing)
  const range =
    reach === null
      ? fullRangeTicks(spacing)
      : { tickLower: (center - reach) * spacing, tickUpper: (center + reach) * spacing }
  const [tokenA, tokenB] = pair.map(tokenId) as [string, string] // as: mapped from two
  return [
    { kind: 'createPool', sender: ALICE, tokenA, tokenB, feePips, sqrtPriceX96 },
    {
      kind: 'mintPosition',
      sender: ADMIN,
      pool: buildPoolKey(pair, feePips),
      ...range,
      liquidity: (size * sqrtPriceX96) >> 96n,
      isPrivate: false,
    },
  ]
}
