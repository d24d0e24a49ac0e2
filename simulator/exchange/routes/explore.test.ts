import { expect, it } from 'vitest'
import {
  exploreSearchBodySchema,
  exploreStatsBodySchema,
  exploreTokensPageSchema,
  exploreTransactionsPageSchema,
} from '../../../contract/schemas/pools.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import type { ExploreQuery } from '../../indexer/views/market-views.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-world.ts'

const watched = watchedWorld(3)
const { chain } = watched.world.state()
const { views } = watched.world
const bed = await createTestBed({ world: watched.world })
const read = async (url: string) => {
  const response = await bed.call(url)
  expect([url, response.statusCode]).toEqual([url, 200])
  return response.json()
}
const FIRST: ExploreQuery = { window: '1d', sort: 'tvlUsd', order: 'desc', limit: 100, offset: 0 }

it.each([
  ['/explore/tokens?limit=100', exploreTokensPageSchema],
  ['/explore/stats', exploreStatsBodySchema],
  ['/explore/transactions?limit=100', exploreTransactionsPageSchema],
  ['/explore/search?search=t', exploreSearchBodySchema],
])('%s fits its schema', async (url, schema) => {
  const body = await read(url)
  expect(schema.parse(body)).toEqual(body)
})

it('/explore/tokens has every token with the balance of all pools, ordered by its value', async () => {
  const { data, pagination } = await read('/explore/tokens?limit=100')
  expect(pagination).toEqual({ total: chain.tokens.size, limit: 100, offset: 0 })
  expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([...chain.tokens.keys()].sort())
  const rows = views.exploreTokens(FIRST).rows
  for (const [place, row] of data.entries()) {
    const token = chain.tokens.get(row.id)
    const pools = [...chain.pools.values()].filter(({ token0, token1 }) => [token0, token1].includes(row.id))
    const locked = pools.reduce(
      (sum, pool) => sum + (pool.token0 === row.id ? pool.balance0 : pool.balance1),
      0n,
    )
    expect(row).toMatchObject({
      address: token?.address,
      symbol: token?.symbol,
      decimals: token?.decimals,
      ammTokenProgram: token?.ammTokenProgram,
      pools: pools.length,
      tvl: `${locked}`,
    })
    const { priceUsd, priceChangePct, tvlUsd, volumeUsd, volume, token: view } = rows[place] ?? {}
    expect(row).toMatchObject({
      id: view?.id,
      priceUsd,
      priceChangePct,
      tvlUsd,
      volumeUsd,
      volume: `${volume}`,
    })
  }
  const registered = watched.events('tokenRegistered')
  for (const { event, block } of registered) {
    const row = data.find(({ id }: { id: string }) => id === event.token.id)
    expect(row.createdAt).toBe(new Date(block.timeMs).toISOString())
  }
})

it('/explore/tokens applies window, sort, order and search', async () => {
  const own = await createTestBed()
  const requested: unknown[] = []
  own.views.exploreTokens = (query) => {
    requested.push(query)
    return { rows: [], total: 0 }
  }
  await own.call('/explore/tokens')
  await own.call('/explore/tokens?window=1m&sort=change&order=asc&search=%3Cb%3E&limit=7&offset=9')
  expect(requested).toEqual([
    { ...FIRST, limit: 20 },
    {
      window: '1m',
      sort: 'priceChangePct',
      order: 'asc',
      search: '<b>',
      spelling: defaultChoices.wire,
      limit: 7,
      offset: 9,
    },
  ])
})

it('/explore/stats shows the totals of a window', async () => {
  const day = (await read('/explore/stats')).data
  expect(day).toMatchObject({
    observedBlock: views.head().height,
    observedAt: new Date(views.head().timeMs).toISOString(),
    pools: chain.pools.size,
    tokens: chain.tokens.size,
    swaps: watched.events('swapExecuted').length,
  })
  const rows = (await read('/explore/pools?limit=100')).data
  for (const name of ['tvlUsd', 'volumeUsd']) {
    const sum = rows.reduce(
      (total: number, row: Record<string, string | null>) => total + Number(row[name]),
      0,
    )
    expect(Math.abs(Number(day[name]) - sum)).toBeLessThan(1e-3)
    expect(sum).toBeGreaterThan(0)
  }
})

it('/explore/stats and /explore/search apply their window', async () => {
  const own = await createTestBed()
  const requested: unknown[] = []
  const { exploreStats } = own.views
  own.views.exploreStats = (window) => {
    requested.push(window)
    return exploreStats(window)
  }
  for (const name of ['exploreTokens', 'explorePools'] as const) {
    own.views[name] = ({ window }: ExploreQuery) => {
      requested.push(window)
      return { rows: [], total: 0 }
    }
  }
  for (const url of ['/explore/stats', '/explore/stats?window=1h', '/explore/search?search=x&window=1w'])
    expect((await own.call(url)).statusCode).toBe(200)
  expect(requested).toEqual(['1d', '1h', '1w', '1w'])
})

it('/explore/transactions are the trades of all pools, none lost between pages', async () => {
  const all = []
  for (;;) {
    const { data, pagination } = await read(`/explore/transactions?limit=17&offset=${all.length}`)
    all.push(...data)
    if (data.length > 0) continue
    expect(pagination.total).toBe(all.length)
    break
  }
  const hops = watched.events('swapExecuted').flatMap(({ event }) => event.hops)
  const moves = watched.events('liquidityChanged').filter(({ event }) => event.liquidityDelta !== 0n)
  expect(all).toHaveLength(hops.length + moves.length)
  expect(all.map(({ block }) => block)).toEqual(all.map(({ block }) => block).sort((a, b) => b - a))
  for (const { key, token0 } of chain.pools.values()) {
    const own = all.filter(({ pool }) => pool === key)
    const trades = (await read(`/pools/${key}/trades?limit=100`)).data
    expect(own.slice(0, 100).map(({ id }) => id)).toEqual(trades.map(({ id }: { id: string }) => id))
    for (const [place, trade] of trades.entries()) {
      const { amount0, amount1, kind, price, transaction, timestamp } = trade
      expect(own[place]).toMatchObject({ amount0, amount1, kind, price, transaction, timestamp, token0 })
      expect(own[place].token0Symbol).toBe(chain.tokens.get(token0)?.symbol)
    }
  }
  const users = new Map(watched.events('swapExecuted').map(({ event, transaction }) => [transaction, event]))
  const swaps = all.filter(({ kind }) => kind === 'swap')
  for (const { transaction, user } of swaps) {
    const { isPrivate, user: who } = users.get(transaction) ?? {}
    expect(user).toBe(isPrivate ? null : who)
  }
  expect(new Set(swaps.map(({ user }) => user)).has(null)).toBe(true)
})

it('/explore/search finds tokens and pools at once, in list format', async () => {
  const { data } = await read('/explore/search?search=UsD&limit=2')
  const [tokens, pools] = [await read('/explore/tokens?search=usd'), await read('/explore/pools?search=usd')]
  expect(data).toEqual({
    tokens: tokens.data.slice(0, 2),
    tokensTotal: tokens.pagination.total,
    pools: pools.data.slice(0, 2),
    poolsTotal: pools.pagination.total,
  })
  expect(data.poolsTotal).toBeGreaterThan(2)
  expect((await read('/explore/search?search=no%20such%20thing')).data).toEqual({
    tokens: [],
    tokensTotal: 0,
    pools: [],
    poolsTotal: 0,
  })
})

it.each([
  ...['window=2h', 'window=1D', 'window='].flatMap((query) => [
    `tokens?${query}`,
    `stats?${query}`,
    `search?search=x&${query}`,
  ]),
  'tokens?sort=nothing',
  'tokens?sort=',
  'tokens?sort=constructor',
  'tokens?order=up',
  'tokens?order=DESC',
  `tokens?search=${'x'.repeat(401)}`,
  'tokens?search=a&search=b',
  'search',
  'search?search=',
  `search?search=${'x'.repeat(401)}`,
  'search?search=x&limit=0',
  'search?search=x&limit=101',
  'search?search=x&limit=1e1',
])('/explore/%s returns 400', async (query) => {
  const response = await bed.call(`/explore/${query}`)
  expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request'])
})
