import { beforeAll, expect, test } from 'vitest'
import {
  historicalTradesBodySchema,
  orderBookBodySchema,
  pairsPageSchema,
  tickersPageSchema,
} from '../../../contract/schemas/market.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { PoolView } from '../../indexer/views/market-views.ts'
import { createTestBed, type TestBed } from '../test-bed.ts'

let bed: TestBed
let pool: PoolView

beforeAll(async () => {
  bed = await createTestBed()
  const { rows } = bed.views.explorePools({
    window: '1d',
    sort: 'volumeUsd',
    order: 'desc',
    limit: 1,
    offset: 0,
  })
  if (!rows[0]) throw new Error('the test world has pools')
  pool = rows[0].pool
})

const get = async (path: string, query: Record<string, string> = {}) => {
  const response = await bed.call(`/aggregator/${path}?${new URLSearchParams(query)}`)
  return { status: response.statusCode, body: response.json() }
}
const book = async (query: Record<string, string> = {}) =>
  orderBookBodySchema.strict().parse((await get('orderbook', { ticker_id: pool.key, ...query })).body).data
const trades = async (query: Record<string, string> = {}) =>
  historicalTradesBodySchema
    .strict()
    .parse((await get('historical_trades', { ticker_id: pool.key, ...query })).body).data

test('lists every pool as a market, page by page', async () => {
  const first = pairsPageSchema.strict().parse((await get('pairs', { limit: '2' })).body)
  const second = pairsPageSchema.parse((await get('pairs', { limit: '2', offset: '2' })).body)
  const pools = bed.views.pools({ limit: 4, offset: 0 })
  expect([...first.data, ...second.data]).toEqual(
    pools.rows.map(({ key, token0, token1 }) => ({
      ticker_id: key,
      base: token0.id,
      target: token1.id,
      pool_id: key,
    })),
  )
  expect(first.pagination).toEqual({ total: pools.total, limit: 2, offset: 0 })
})

test('shows price, best prices and the figures of a day', async () => {
  const { data } = tickersPageSchema.strict().parse((await get('tickers', { limit: '100' })).body)
  const ticker = data.find(({ ticker_id }) => ticker_id === pool.key)
  const stats = bed.views.poolStats(pool.key)
  const { bids, asks } = await book()
  expect(ticker).toMatchObject({
    base_currency: pool.token0.id,
    target_currency: pool.token1.id,
    pool_id: pool.key,
    last_price: stats?.price,
    liquidity_in_usd: stats?.tvlUsd,
    bid: bids[0]?.[0],
    ask: asks[0]?.[0],
  })
  const volume = Number(stats?.windows['1d'].volume0) / 10 ** pool.token0.decimals
  expect(Number(ticker?.base_volume)).toBeCloseTo(volume, 6)
  const prices = [ticker?.low, ticker?.last_price, ticker?.high].map(Number)
  expect(prices).toEqual([...prices].sort((a, b) => a - b))
  expect(Number(ticker?.bid)).toBeLessThan(Number(ticker?.last_price))
  expect(Number(ticker?.ask)).toBeGreaterThan(Number(ticker?.last_price))
})

test('high and low are those of all candles of the day', async () => {
  const { data } = tickersPageSchema.parse((await get('tickers', { limit: '100' })).body)
  for (const { ticker_id, high, low } of data) {
    const { rows } = bed.views.candles({ pool: ticker_id, interval: '1m', limit: 2000, offset: 0 })
    if (rows.length === 0) expect([high, low]).toEqual([null, null])
    else {
      expect(Number(high)).toBe(Math.max(...rows.map((candle) => Number(candle.high))))
      expect(Number(low)).toBe(Math.min(...rows.map((candle) => Number(candle.low))))
    }
  }
})

test('a pool without liquidity has no prices', async () => {
  const empty = { ...pool, key: 'empty', liquidity: 0n }
  const { views } = bed
  const { pools, poolStats } = views
  views.pools = () => ({ rows: [empty], total: 1 })
  views.poolStats = () => undefined
  const { data } = (await get('tickers')).body
  Object.assign(views, { pools, poolStats })
  expect(data[0]).toMatchObject({ last_price: null, bid: null, ask: null, base_volume: '0' })
})

test('the order book has the requested number of levels, the best first', async () => {
  const { ticker_id, timestamp, bids, asks } = await book({ depth: '10' })
  expect([ticker_id, timestamp, bids.length, asks.length]).toEqual([pool.key, bed.views.head().timeMs, 5, 5])
  for (const [price, quantity] of [...bids, ...asks]) {
    expect([price, quantity].join(' ')).toMatch(/^\d+(\.\d+)? \d+(\.\d+)?$/)
  }
  const prices = [...bids.toReversed(), ...asks].map(([price]) => Number(price))
  expect(prices).toEqual([...prices].sort((a, b) => a - b))
  expect((await book({ depth: '1' })).asks).toEqual(asks.slice(0, 1))
  expect((await book()).bids).toHaveLength(50)
  const deepest = await book({ depth: '0' })
  expect([deepest.bids.length, deepest.asks.length]).toEqual([250, 250])
})

test('shows swaps as buys and sells of the base token, newest first', async () => {
  const { rows } = bed.views.trades({ pool: pool.key, limit: 1000, offset: 0 })
  const swaps = rows.filter(({ kind }) => kind === 'swap')
  const { buy, sell } = await trades({ limit: '0' })
  expect(buy.length * sell.length).toBeGreaterThan(0)
  expect(buy.length + sell.length).toBe(swaps.length)
  expect(buy.map(({ trade_id }) => trade_id)).toEqual(
    swaps.filter(({ amount0 }) => amount0 < 0n).map(({ id }) => id),
  )
  for (const { price, base_volume, target_volume, type } of [...buy, ...sell]) {
    expect(Number(target_volume) / Number(base_volume) / Number(price)).toBeCloseTo(1, 6)
    expect(['buy', 'sell']).toContain(type)
  }
})

test('selects trades by type, number and time, bounds included', async () => {
  const all = await trades({ limit: '0' })
  const { buy, sell } = all
  expect(await trades({ limit: '0', type: 'buy' })).toEqual({ ...all, sell: [] })
  expect(await trades({ limit: '2', type: 'sell' })).toEqual({ ...all, buy: [], sell: sell.slice(0, 2) })
  const at = String(buy[1]?.trade_timestamp)
  const within = await trades({ start_time: at, end_time: at, type: 'buy' })
  expect(within.buy).toEqual(buy.filter(({ trade_timestamp }) => String(trade_timestamp) === at))
  expect((await trades({ limit: '3' })).buy.length + (await trades({ limit: '3' })).sell.length).toBe(3)
})

test.each([
  ['pairs', { limit: '101' }],
  ['tickers', { offset: '-1' }],
  ['orderbook', {}],
  ['orderbook', { ticker_id: 'x', depth: '501' }],
  ['orderbook', { ticker_id: 'x', depth: '1e2' }],
  ['orderbook', { ticker_id: 'x'.repeat(513) }],
  ['historical_trades', { ticker_id: 'x', type: 'swap' }],
  ['historical_trades', { ticker_id: 'x', limit: '01' }],
  ['historical_trades', { ticker_id: 'x', start_time: '2', end_time: '1' }],
  ['historical_trades', { ticker_id: 'x', start_time: '2025-01-01' }],
] as [string, Record<string, string>][])('%s returns 400 for %j', async (path, query) => {
  expect(await get(path, query)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

test.each(['orderbook', 'historical_trades'])('%s returns 404 for an unknown market', async (path) => {
  expect(await get(path, { ticker_id: 'A_B' })).toMatchObject({
    status: 404,
    body: { code: 'pool_not_found' },
  })
})

test('choices alternative: a market is identified only by the spelling of its pool’s key', async () => {
  const other = await createTestBed({ choices: alternativeChoices })
  const tickerId = alternativeChoices.wire.poolKey.encode(pool.key)
  const request = async (path: string, id: string) =>
    other.call(`${alternativeChoices.aggregator.prefix}/${path}?${new URLSearchParams({ ticker_id: id })}`)
  const { data } = (await other.call(`${alternativeChoices.aggregator.prefix}/pairs?limit=9`)).json()
  expect(alternativeChoices.wire.tokenId.decode(data[0].base)).toMatch(/field$/)
  expect(alternativeChoices.wire.poolKey.decode(data[0].ticker_id)).toMatch(/field$/)
  for (const path of ['orderbook', 'historical_trades']) {
    expect((await request(path, tickerId)).json().data.ticker_id).toBe(tickerId)
    expect((await request(path, pool.key)).statusCode).toBe(alternativeChoices.errors.statuses.pool_not_found)
  }
})
