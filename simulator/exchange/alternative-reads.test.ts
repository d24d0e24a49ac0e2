// The reads of pools, market, compliance and portfolio under the second set of choices.
import { expect, it } from 'vitest'
import { alternativeChoices } from '../choices/alternative-choices.ts'
import { createTestBed } from './test-bed.ts'
import { watchedWorld } from './test-world.ts'

const { world } = watchedWorld(2)
const { chain } = world.state()
const [pool] = chain.pools.values()
if (!pool) throw new Error('the world has pools')
for (const key of [pool.key, `${pool.token0}/${pool.token1}`]) world.changeConfig({ scope: 'pause', key })
world.mine(2)
const bed = await createTestBed({ world, choices: alternativeChoices })
const { poolKey, tokenId, address } = alternativeChoices.wire
const me = bed.bearer()
const KEY = encodeURIComponent(poolKey.encode(pool.key))
const [POSITION = ''] = chain.positionsByOwner.get(bed.wallets.trader.address) ?? []

const read = async (url: string) => {
  const response = await bed.call(url, me)
  expect([url, response.statusCode]).toEqual([url, 200])
  return response.json()
}

/** Ids without a codec: of swaps, and of underlying tokens. */
const SAME_IN_ALL_SETS = new Set(['swap_id', 'underlying_token_id'])

const PAGES = [
  '/pools/stats',
  `/pools/${KEY}/trades`,
  `/pools/${KEY}/ohlcv`,
  `/pools/${KEY}/liquidity-distribution`,
  '/explore/assets',
  '/explore/transactions',
  '/compliance/notices/tokens',
  '/compliance/notices/pairs',
  '/compliance/notices/pools',
  '/portfolio/liquidity',
  '/portfolio/holdings',
]
const SINGLES = [
  `/pools/${KEY}/stats`,
  `/pools/${KEY}/oracle`,
  '/explore/stats',
  '/explore/search?search=usd',
  '/compliance/notices/pause',
  '/compliance/notices/pool-creation',
  `/portfolio/liquidity/${tokenId.encode(POSITION)}`,
  `/portfolio/holdings/${tokenId.encode(pool.token0)}`,
  '/unclaimed',
  '/fee-tiers',
]

it.each([...PAGES, ...SINGLES])('%s shows ids and addresses only in wire format', async (url) => {
  const body = await read(url)
  const { data } = body
  expect(Array.isArray(data) ? data.length : Object.keys(data).length).toBeGreaterThan(0)
  const text = JSON.stringify(body, (name, value) => (SAME_IN_ALL_SETS.has(name) ? undefined : value))
  expect(text).not.toMatch(/[0-9]field|bw1[a-z0-9]{20}|[0-9]T[0-9]{2}:/)
  expect(body).toMatchObject(alternativeChoices.extraFields)
})

it.each(PAGES)('%s has pages of at most nine rows, three by default', async (url) => {
  expect((await read(url)).pagination).toMatchObject({ limit: 3, offset: 0 })
  expect((await read(`${url}?limit=100`)).pagination.limit).toBe(9)
})

it('rejects internal keys and ids', async () => {
  for (const name of ['stats', 'ohlcv', 'liquidity-distribution', 'trades', 'oracle'])
    expect((await bed.call(`/pools/${pool.key}/${name}`)).statusCode).toBe(410)
  expect((await bed.call(`/portfolio/liquidity/${POSITION}`, me)).statusCode).toBe(404)
  expect((await bed.call(`/portfolio/holdings/${pool.token0}`, me)).statusCode).toBe(404)
})

it('finds tokens by id and address in wire format, or the start of it', async () => {
  const token = chain.tokens.get(pool.token1)
  const shown = [tokenId.encode(pool.token1), address.encode(token?.address ?? '')]
  for (const text of shown.flatMap((whole) => [whole, whole.slice(0, 30)])) {
    const { data } = await read(`/explore/assets?search=${encodeURIComponent(text)}`)
    expect(data.map(({ id }: { id: string }) => id)).toEqual([tokenId.encode(pool.token1)])
  }
})

it('finds pools by the start of a key in wire format, and not by an internal key', async () => {
  const search = async (text: string) =>
    (await read(`/explore/pools?search=${encodeURIComponent(text)}`)).data.map(
      (row: { key: string }) => row.key,
    )
  const shown = poolKey.encode(pool.key)
  expect(await search(shown.slice(0, 30))).toEqual([shown])
  expect(await search(pool.key)).toEqual([])
})

it('serves its own defaults', async () => {
  const { data } = await read(`/pools/${KEY}/oracle`)
  expect(data.observations.map((row: { seconds_ago: number }) => row.seconds_ago)).toEqual([1800, 1])
  expect(await read(`/pools/${KEY}/ohlcv`)).toEqual(await read(`/pools/${KEY}/ohlcv?interval=15m`))
  expect((await bed.call(`/pools/${KEY}/oracle?seconds_ago=86401`)).statusCode).toBe(400)
})

it('lists statistics in the order of /pools, also on a later page', async () => {
  for (const page of ['', '?limit=2&offset=3']) {
    const keys = async (path: string) => (await read(path + page)).data.map((row: { key: string }) => row.key)
    const listed = await keys('/pools')
    expect(listed.length).toBeGreaterThan(1)
    expect(await keys('/pools/stats')).toEqual(listed)
  }
  const newest = [...chain.pools.keys()].at(-1) ?? ''
  expect((await read('/pools/stats?limit=1')).data[0].key).toBe(poolKey.encode(newest))
})
