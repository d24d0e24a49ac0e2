import { expect, test } from 'vitest'
import { buildPoolKey, swapTransaction, tokenId } from '../../chain/test-chain.ts'
import { createSmallWorld } from '../../world/test-small-world.ts'
import { WINDOWS, windowStartMs } from '../pools/pool-figures.ts'
import { createTestIndex, PAIR, TO_A_HALF } from '../test-index.ts'
import type { ExploreQuery, ExploreSort, MetricWindow } from '../views/market-views.ts'
import type { Views } from '../views/views.ts'

const query: ExploreQuery = { window: '1h', sort: 'createdAt', order: 'asc', limit: 100, offset: 0 }
const SORTS: readonly ExploreSort[] = ['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct']
const NAMES = Object.keys(WINDOWS) as MetricWindow[] // as: a constant has no other keys

const market = () =>
  createTestIndex({
    symbols: ['USD', 'A', 'B', 'X', 'Y', 'LONE'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
      ['X', 'Y'],
    ],
  })
const symbols = (views: Views, part: Partial<ExploreQuery>) =>
  views.exploreTokens({ ...query, ...part }).rows.map(({ token }) => token.symbol)
const row = (views: Views, symbol: string, part: Partial<ExploreQuery> = {}) =>
  views.exploreTokens({ ...query, ...part }).rows.find(({ token }) => token.symbol === symbol)

test('a token has the figures of all its pools, and its price follows the pools that determine it', () => {
  const { views, step } = market()
  step(swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn))
  const million = 10n ** 12n
  // From a dollar to a quarter; each pool began with a million of either token.
  expect(row(views, 'A')).toMatchObject({
    pools: 2,
    priceUsd: '0.25',
    priceChangePct: '-75',
    locked: 2n * million + TO_A_HALF.amountIn,
    tvlUsd: '750752.25677',
    volume: TO_A_HALF.amountIn,
    volumeUsd: '250752.25677',
  })
  // Still one to one with A, in a pool without trades.
  expect(row(views, 'B')).toMatchObject({
    pools: 1,
    priceUsd: '0.25',
    priceChangePct: '-75',
    tvlUsd: '250000',
    volume: 0n,
    volumeUsd: '0',
  })
  expect(row(views, 'USD')).toMatchObject({ priceUsd: '1', priceChangePct: '0', volumeUsd: '500000' })
  const unknown = { priceUsd: null, priceChangePct: null, tvlUsd: null, volumeUsd: null }
  expect(row(views, 'X')).toMatchObject({ pools: 1, locked: million, volume: 0n, ...unknown })
  expect(row(views, 'LONE')).toMatchObject({ pools: 0, locked: 0n, ...unknown })

  for (let minute = 0; minute < 60; minute++) step()
  expect(row(views, 'B')).toMatchObject({ priceUsd: '0.25', priceChangePct: '0', volumeUsd: '0' })
  expect(row(views, 'B', { window: '1d' })).toMatchObject({ priceChangePct: '-75' })
  expect(row(views, 'A', { window: '1d' })).toMatchObject({ volumeUsd: '250752.25677' })
})

test('totals are the sums over all pools with a known figure', () => {
  const { views, step } = market()
  step(swapTransaction(['USD', 'A'], 10_000_000_000n))
  step({ ...swapTransaction(['X', 'Y'], 5000n), isPrivate: true })
  const { rows } = views.explorePools(query)
  const sum = (figures: readonly (string | null)[]) =>
    figures.reduce((total, figure) => total + Number(figure ?? 0), 0)
  const stats = views.exploreStats('1h')
  expect(stats).toMatchObject({ block: views.head(), pools: 3, tokens: 6, swaps: 2, volumeUsd: '10000' })
  expect(Number(stats.tvlUsd)).toBeCloseTo(sum(rows.map(({ tvlUsd }) => tvlUsd)), 4)
  for (let minute = 0; minute < 60; minute++) step()
  expect(views.exploreStats('1h').volumeUsd).toBe('0')
  expect(views.exploreStats('1d').volumeUsd).toBe('10000')
})

test.each(NAMES)('agrees with the chain and its events, window %s', (window) => {
  const { world, canonical } = createSmallWorld(9)
  world.mine(40)
  const startMs = windowStartMs(window, world.views.head().timeMs)
  const hops = canonical
    .filter(({ timeMs }) => timeMs >= startMs)
    .flatMap(({ receipts }) => receipts.flatMap(({ events }) => events))
    .flatMap((event) => (event.kind === 'swapExecuted' ? event.hops : []))
  expect(hops.length).toBeGreaterThan(50)
  const { pools, tokens } = world.state().chain
  const { rows, total } = world.views.exploreTokens({ ...query, window, limit: 1000 })
  expect(rows.map(({ token }) => token.id)).toEqual([...tokens.keys()])
  expect(total).toBe(tokens.size)
  for (const { token, ...found } of rows) {
    const own = [...pools.values()].filter(({ token0, token1 }) => [token0, token1].includes(token.id))
    const locked = own.reduce(
      (sum, pool) => sum + (pool.token0 === token.id ? pool.balance0 : pool.balance1),
      0n,
    )
    const volume = hops.reduce((sum, { pool, zeroForOne, amountIn, amountOut }) => {
      const { token0, token1 } = pools.get(pool) ?? {}
      if (token0 === token.id) return sum + (zeroForOne ? amountIn : amountOut)
      return token1 === token.id ? sum + (zeroForOne ? amountOut : amountIn) : sum
    }, 0n)
    expect(found).toMatchObject({ pools: own.length, locked, volume })
    if (found.priceUsd === null) continue
    const dollars = (amount: bigint) => (Number(amount) / 10 ** token.decimals) * Number(found.priceUsd)
    // Truncated to six decimals.
    expect(Math.abs(Number(found.tvlUsd) - dollars(locked))).toBeLessThan(2e-6 + dollars(locked) / 1e12)
    expect(Math.abs(Number(found.volumeUsd) - dollars(volume))).toBeLessThan(2e-6 + dollars(volume) / 1e12)
  }
  expect(rows.filter(({ priceUsd }) => priceUsd !== null).length).toBeGreaterThan(3)
})

test.each(SORTS)('sorts tokens by %s: a total order, unknown figures last in both directions', (sort) => {
  const { views, step } = market()
  step(swapTransaction(['USD', 'A'], 1_000_000_000n), swapTransaction(['B', 'A'], 3_000_000_000n))
  for (const order of ['asc', 'desc'] as const) {
    const { rows } = views.exploreTokens({ ...query, sort, order })
    const figures = rows.map((found) => (sort === 'createdAt' ? `${found.token.createdAtMs}` : found[sort]))
    const known = figures.filter((figure) => figure !== null).map(Number)
    expect(known).toEqual([...known].sort((a, b) => (order === 'asc' ? a - b : b - a)))
    expect(figures.slice(known.length).every((figure) => figure === null)).toBe(true)
    const paged = [0, 1, 2, 3, 4, 5].flatMap((offset) => symbols(views, { sort, order, limit: 1, offset }))
    expect(paged).toEqual(rows.map(({ token }) => token.symbol))
  }
})

test('equal figures keep the order of registration in both directions', () => {
  const { views } = market()
  for (const order of ['asc', 'desc'] as const)
    expect(symbols(views, { sort: 'volumeUsd', order })).toEqual(['USD', 'A', 'B', 'X', 'Y', 'LONE'])
})

test.each([
  ['a symbol', 'lone', ['LONE']],
  ['a name, in any case', 'tHE b toKEN', ['B']],
  ['an address', 'bw1x', ['X']],
  ['an id', tokenId('Y'), ['Y']],
  ['nothing', buildPoolKey('A', 'B'), []],
] as const)('finds tokens by %s', (_, search, expected) => {
  const { views } = market()
  const found = views.exploreTokens({ ...query, search })
  expect(found.rows.map(({ token }) => token.symbol)).toEqual(expected)
  expect(found.total).toBe(expected.length)
})
