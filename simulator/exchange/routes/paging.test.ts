import { expect, it } from 'vitest'
import { explorePoolsPageSchema, poolsPageSchema } from '../../../contract/schemas/pools.ts'
import { swapsPageSchema } from '../../../contract/schemas/portfolio.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { BAD_NUMBERS } from '../test-bad-numbers.ts'
import { createTestBed, type TestBed } from '../test-bed.ts'

const bed = await createTestBed()
const reader = bed.bearer()
const ALL = { limit: 1_000_000, offset: 0 }
const ALL_POOLS = bed.views.pools(ALL).rows.map(({ key }) => key)
const ALL_SWAPS = bed.views.swaps({ ...ALL, viewer: bed.wallets.trader.address }).rows
const KEY = ALL_POOLS[0]
const LISTS = [
  '/pools',
  '/pools/stats',
  `/pools/${KEY}/ohlcv`,
  `/pools/${KEY}/trades`,
  `/pools/${KEY}/liquidity-distribution`,
  '/explore/pools',
  '/explore/tokens',
  '/explore/transactions',
  '/compliance/tokens',
  '/compliance/pairs',
  '/compliance/pools',
  '/swaps',
  '/positions',
  '/balances',
]
const get = (url: string) => bed.call(url, reader)

it.each([
  ['/pools', poolsPageSchema, ALL_POOLS.length],
  ['/explore/pools', explorePoolsPageSchema, ALL_POOLS.length],
  ['/swaps', swapsPageSchema, ALL_SWAPS.length],
])('%s fits the contract', async (url, schema, total) => {
  const body = (await get(`${url}?limit=100`)).json()
  expect(schema.strict().parse(body)).toEqual(body)
  expect(body.data).toHaveLength(100)
  expect(body.pagination).toEqual({ total, limit: 100, offset: 0 })
})

it.each(LISTS)('%s serves 20 rows from the first on by default', async (url) => {
  expect((await get(url)).json().pagination).toMatchObject({ limit: 20, offset: 0 })
})

it.each(
  LISTS.flatMap((url) =>
    ['limit=1', 'limit=100', 'offset=0', 'limit=3&offset=102', 'offset=9007199254740991', 'unknown=1'].map(
      (query) => `${url}?${query}`,
    ),
  ),
)('%s returns 200', async (url) => {
  expect((await get(url)).statusCode).toBe(200)
})

it.each(
  LISTS.flatMap((url) => [
    ...[...BAD_NUMBERS, '5&limit=6&offset=6'].flatMap((value) => [
      `${url}?limit=${value}`,
      `${url}?offset=${value}`,
    ]),
    `${url}?limit=0`,
    `${url}?limit=101`,
  ]),
)('%s returns 400', async (url) => {
  const response = await get(url)
  expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request'])
})

it.each([
  'window=2h',
  'window=1D',
  'sort=nothing',
  'sort=',
  'sort=constructor',
  'order=up',
  'order=DESC',
  `search=${'x'.repeat(401)}`,
])('/explore/pools?%s returns 400', async (query) => {
  expect((await get(`/explore/pools?${query}`)).statusCode).toBe(400)
})

it('/explore/pools applies window, sort, order and search', async () => {
  const requested: unknown[] = []
  const own = await createTestBed()
  own.views.explorePools = (query) => {
    requested.push(query)
    return { rows: [], total: 0 }
  }
  own.views.exploreOrder = (query) => {
    requested.push(query)
    return { rows: [], places: new Int32Array() }
  }
  await own.call('/explore/pools?search=')
  await own.call('/explore/pools?window=1m&sort=created&order=asc&search=%3Cb%3E&limit=7&offset=9')
  expect(requested).toEqual([
    { window: '1d', sort: 'tvlUsd', order: 'desc' },
    {
      window: '1m',
      sort: 'createdAt',
      order: 'asc',
      search: '<b>',
      spelling: defaultChoices.wire,
      limit: 7,
      offset: 9,
    },
  ])
})

it('/swaps filters by any pool in the route', async () => {
  const last = ALL_SWAPS.find(({ hops }) => hops.length > 1)?.hops.at(-1)?.pool ?? ''
  const ids = ALL_SWAPS.filter(({ hops }) => hops.some(({ pool }) => pool === last)).map(({ id }) => id)
  const { data, pagination } = (await get(`/swaps?limit=100&pool=${last}`)).json()
  expect(data.map((row: { id: string }) => row.id)).toEqual(ids.slice(0, 100))
  expect(pagination.total).toBe(ids.length)
  expect((await get('/swaps?pool=unknown')).json().data).toEqual([])
})

it('/pools/{key} reads the pool of a key exactly as listed', async () => {
  const [row] = (await get('/pools?limit=1&offset=5')).json().data
  const response = await get(`/pools/${encodeURIComponent(row.key)}`)
  expect(response.json()).toEqual({ data: row })
  expect(row.fee).toBe('10000')
})

it('/pools/{key} returns 404 for any other key', async () => {
  for (const key of [
    'unknown',
    ALL_POOLS[0]?.toUpperCase(),
    `${ALL_POOLS[0]}%20`,
    ALL_POOLS[0]?.slice(1),
    '..%2F',
  ]) {
    const response = await get(`/pools/${key}`)
    expect([response.statusCode, response.json().code]).toEqual([404, 'pool_not_found'])
  }
})

/** Pages to the end as the specification says: the offset grows by the rows received. */
async function walkPools(target: TestBed, limit: number): Promise<{ keys: string[]; totals: Set<number> }> {
  const keys: string[] = []
  const totals = new Set<number>()
  for (;;) {
    const { data, pagination } = (await target.call(`/pools?limit=${limit}&offset=${keys.length}`)).json()
    totals.add(pagination.total)
    keys.push(...data.map((row: { key: string }) => row.key))
    if (data.length === 0) return { keys, totals }
  }
}

it('/pools gives every row once in every page size', async () => {
  for (let limit = 1; limit <= 100; limit++) {
    expect((await walkPools(bed, limit)).keys).toEqual(ALL_POOLS)
  }
})
