import { expect, test } from 'vitest'
import { buildPoolKey, poolTransactions, swapTransaction, tokenId } from '../../chain/test-chain.ts'
import { createTestIndex } from '../test-index.ts'
import type { ExploreQuery, ExploreSort } from '../views/market-views.ts'
import type { Views } from '../views/views.ts'

const query: ExploreQuery = { window: '1h', sort: 'createdAt', order: 'asc', limit: 100, offset: 0 }

const market = () =>
  createTestIndex({
    symbols: ['USD', 'A', 'B', 'X', 'Y'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
      ['X', 'Y'],
    ],
  })

const keys = (views: Views, part: Partial<ExploreQuery>) =>
  views.explorePools({ ...query, ...part }).rows.map(({ pool }) => pool.key)
const row = (views: Views, key: string, part: Partial<ExploreQuery> = {}) =>
  views.explorePools({ ...query, ...part }).rows.find(({ pool }) => pool.key === key)

test('values pools through the stable token; null without a connection to it', () => {
  const { views } = market()
  // A million of either token, each worth a dollar.
  expect(row(views, buildPoolKey('USD', 'A'))).toMatchObject({
    price: '1',
    priceUsd: '1',
    tvlUsd: '2000000',
    volumeUsd: '0',
  })
  expect(row(views, buildPoolKey('A', 'B'))).toMatchObject({ priceUsd: '1', tvlUsd: '2000000' })
  expect(row(views, buildPoolKey('X', 'Y'))).toMatchObject({
    price: '1',
    priceUsd: null,
    tvlUsd: null,
    volumeUsd: null,
  })
})

test('a token takes its price from a pool nearer to the stable token', () => {
  const { views, step } = market()
  const fourfold = 2n << 96n
  step(...poolTransactions('USD', 'B', 10n ** 13n, tokenIs0('USD', 'B') ? fourfold : (1n << 96n) / 2n))
  // Four B for a dollar, while the pool with A, a hop further away, still has one for one.
  const priced = row(views, buildPoolKey('A', 'B'))
  const base = priced?.displayFlipped ? priced.pool.token1 : priced?.pool.token0
  expect(priced?.priceUsd).toBe(base?.symbol === 'B' ? '0.25' : '1')
})

test.each([
  ['older', ['A', 'B'], '0.25'],
  ['younger', ['B', 'A'], '0.25'],
] as const)('of two at the same distance the deeper one, here the %s one', (_, [first, second], price) => {
  const { views, step } = createTestIndex({
    symbols: ['USD', 'A', 'B', 'C'],
    pools: [
      ['USD', 'A'],
      ['USD', 'B'],
    ],
  })
  // A C is worth a quarter in the deep pool with A, a dollar in the shallow one with B.
  const inA = tokenIs0('A', 'C') ? 2n << 96n : (1n << 96n) / 2n
  const pools = { A: poolTransactions('A', 'C', 10n ** 13n, inA), B: poolTransactions('B', 'C', 10n ** 9n) }
  step(...pools[first], ...pools[second])
  const found = row(views, buildPoolKey('B', 'C'))
  const other = row(views, buildPoolKey('A', 'C'))
  const priceOfC = [found, other].find((candidate) => {
    const base = candidate?.displayFlipped ? candidate.pool.token1 : candidate?.pool.token0
    return base?.symbol === 'C'
  })?.priceUsd
  expect(priceOfC).toBe(price)
})

test('the quote is the stable token: a row is flipped if that is token0', () => {
  const { views } = market()
  expect(row(views, buildPoolKey('USD', 'A'))?.displayFlipped).toBe(tokenIs0('USD', 'A'))
})

test('volume and change cover the window', () => {
  const { views, step } = market()
  const key = buildPoolKey('USD', 'A')
  step(swapTransaction(['USD', 'A'], 10_000_000_000n))
  const first = row(views, key)
  expect(first?.volumeUsd).toBe('10000')
  // 0.997 % in moves the price by 1.00997² - 1 in one of the directions.
  expect(first?.priceChangePct).toBe(tokenIs0('USD', 'A') ? '-1.9646' : '2.0039')

  for (let minute = 0; minute < 60; minute++) step()
  expect(row(views, key)).toMatchObject({ volumeUsd: '0', priceChangePct: null })
  expect(row(views, key, { window: '1d' })).toMatchObject({
    volumeUsd: '10000',
    priceChangePct: first?.priceChangePct,
  })
})

test('figures are recomputed for another block of the same height', () => {
  const { views, step, state } = market()
  const key = buildPoolKey('USD', 'A')
  step(swapTransaction(['USD', 'A'], 10_000_000_000n))
  expect(row(views, key)?.volumeUsd).toBe('10000')
  const pool = state.pools.get(key)
  if (!pool) throw new Error('the market has the pool')
  pool.volume0Total += 5_000_000_000n
  pool.volume1Total += 5_000_000_000n
  expect(row(views, key)?.volumeUsd).toBe('10000')
  state.head = { ...state.head, hash: 'another' }
  expect(row(views, key)?.volumeUsd).toBe('15000')
})

test.each(['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct'] satisfies ExploreSort[])(
  'sorts by %s: a total order, unknown figures last in both directions',
  (sort) => {
    const { views, step } = market()
    step(swapTransaction(['USD', 'A'], 1_000_000_000n), swapTransaction(['B', 'A'], 3_000_000_000n))
    for (const order of ['asc', 'desc'] as const) {
      const { rows } = views.explorePools({ ...query, sort, order })
      const figures = rows.map((found) => (sort === 'createdAt' ? `${found.pool.createdAtMs}` : found[sort]))
      const known = figures.filter((figure) => figure !== null).map(Number)
      expect(known).toEqual([...known].sort((a, b) => (order === 'asc' ? a - b : b - a)))
      expect(figures.slice(known.length).every((figure) => figure === null)).toBe(true)
      const paged = [0, 1, 2].flatMap((offset) => keys(views, { sort, order, limit: 1, offset }))
      expect(paged).toEqual(rows.map(({ pool }) => pool.key))
    }
  },
)

test('equal figures keep the order of creation in both directions', () => {
  const { views } = market()
  const created = keys(views, {})
  // No volume anywhere and no known change, for the two pools with a price: each sort falls back on age.
  for (const sort of ['volumeUsd', 'priceChangePct'] as const) {
    for (const order of ['asc', 'desc'] as const) expect(keys(views, { sort, order })).toEqual(created)
  }
})

test.each([
  ['a symbol', 'usd', [['USD', 'A']]],
  ['a name, in any case', 'tHE b toKEN', [['A', 'B']]],
  ['a token’s address', 'bw1x', [['X', 'Y']]],
  ['a pool’s key', buildPoolKey('A', 'B'), [['A', 'B']]],
  ['the ending of all keys', 'field', []],
  ['nothing', 'no such thing', []],
] as const)('finds pools by %s', (_, search, pairs) => {
  const { views } = market()
  const found = views.explorePools({ ...query, search })
  expect(found.rows.map(({ pool }) => pool.key)).toEqual(pairs.map(([a, b]) => buildPoolKey(a, b)))
  expect(found.total).toBe(pairs.length)
})

test('a page past the end is empty but has the total', () => {
  expect(market().views.explorePools({ ...query, offset: 3 })).toEqual({ rows: [], total: 3 })
})

function tokenIs0(symbol: string, other: string): boolean {
  const { views } = createTestIndex({ symbols: [symbol, other], pools: [[symbol, other]] })
  return views.pool(buildPoolKey(symbol, other))?.token0.id === tokenId(symbol)
}
