import { expect, it } from 'vitest'
import {
  candlesPageSchema,
  liquidityPageSchema,
  oracleBodySchema,
  poolStatsBodySchema,
  poolStatsPageSchema,
  tradesPageSchema,
} from '../../../contract/schemas/market.ts'
import { CANDLE_INTERVALS, INTERVAL_MS } from '../../indexer/candle-interval.ts'
import { WINDOWS, windowStartMs } from '../../indexer/pools/pool-figures.ts'
import { priceText } from '../../indexer/price.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-world.ts'

const watched = watchedWorld(2)

const { chain } = watched.world.state()

const bed = await createTestBed({ world: watched.world })

const POOLS = [...chain.pools.values()]

const HEAD = watched.world.views.head()

const seen = ({ isPrivate }: { isPrivate: boolean }, who: string) => (isPrivate ? null : who)

const SWAPS = watched
  .events('swapExecuted')
  .flatMap(({ event, block, transaction }) =>
    event.hops.map((hop) => ({ ...hop, kind: 'swap', user: seen(event, event.user), block, transaction })),
  )

const LIQUIDITY = watched
  .events('liquidityChanged')
  .filter(({ event }) => event.liquidityDelta !== 0n)
  .map(({ event, ...placed }) => {
    const opened = watched
      .events('positionOpened')
      .find((one) => one.event.position === event.position)?.event
    const kind = event.liquidityDelta > 0n ? 'mint' : 'burn'
    return { ...event, kind, user: opened ? seen(opened, opened.owner) : '', ...placed }
  })

const read = async (url: string) => {
  const response = await bed.call(url)
  expect([url, response.statusCode]).toEqual([url, 200])
  return response.json()
}

async function readRows<Row>(url: string, limit = 100): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { data, pagination } = await read(
      `${url}${url.includes('?') ? '&' : '?'}limit=${limit}&offset=${rows.length}`,
    )
    rows.push(...data)
    if (data.length === 0) {
      expect(pagination.total).toBe(rows.length)
      return rows
    }
  }
}

it.each([
  ['stats', poolStatsBodySchema],
  ['ohlcv', candlesPageSchema],
  ['liquidity-distribution', liquidityPageSchema],
  ['trades', tradesPageSchema],
  ['oracle', oracleBodySchema],
])('/pools/{key}/%s fits its schema, every pool', async (name, schema) => {
  for (const { key } of POOLS) {
    const body = await read(`/pools/${key}/${name}`)
    expect(schema.parse(body)).toEqual(body)
    expect(body.observed_block ?? body.data.observed_block).toBe(HEAD.height)
  }
})

it('/pools/stats fits its schema, and equals each pool’s own statistics, in the order of /pools', async () => {
  const body = await read('/pools/stats?limit=100')
  expect(poolStatsPageSchema.parse(body)).toEqual(body)
  expect(body.pagination.total).toBe(POOLS.length)
  const rows = await readRows<{ key: string }>('/pools/stats', 3)
  expect(rows.map(({ key }) => key)).toEqual(POOLS.map(({ key }) => key))
  for (const row of rows) {
    const { observed_block: _, ...own } = (await read(`/pools/${row.key}/stats`)).data
    expect(row).toEqual(own)
  }
})

it('statistics are the chain’s state, and the swaps of each window', async () => {
  for (const { key, token0, token1, enabled, balance0, balance1, amm } of POOLS) {
    const { data } = await read(`/pools/${key}/stats`)
    expect(data).toMatchObject({
      key,
      token0,
      token1,
      enabled,
      balance0: `${balance0}`,
      balance1: `${balance1}`,
      sqrt_price_x96: `${amm.sqrtPriceX96}`,
      tick: amm.tick,
      liquidity: `${amm.liquidity}`,
    })
    const decimals = (id: string) => chain.tokens.get(id)?.decimals ?? 0
    const price = (Number(amm.sqrtPriceX96) / 2 ** 96) ** 2 * 10 ** (decimals(token0) - decimals(token1))
    if (data.price !== null) expect(Math.abs(Number(data.price) / price - 1)).toBeLessThan(1e-9)
    for (const window of ['1h', '1d', '1w', '1m'] as const) {
      const startMs = windowStartMs(window, HEAD.timeMs)
      const swaps = SWAPS.filter(({ pool, block }) => pool === key && block.timeMs >= startMs)
      const sum = (amounts: readonly bigint[]) => `${amounts.reduce((total, amount) => total + amount, 0n)}`
      expect(data.windows[window]).toMatchObject({
        start: new Date(startMs).toISOString(),
        volume0: sum(swaps.map(({ zeroForOne, amountIn, amountOut }) => (zeroForOne ? amountIn : amountOut))),
        volume1: sum(swaps.map(({ zeroForOne, amountIn, amountOut }) => (zeroForOne ? amountOut : amountIn))),
      })
      expect(data.windows[window].price_change_pct === null).toBe(swaps.length === 0)
    }
  }
  expect(Object.keys(WINDOWS)).toEqual(['1h', '1d', '1w', '1m'])
})

it('trades are the chain’s, newest first', async () => {
  let count = 0
  for (const { key, token0, token1 } of POOLS) {
    const decimals = (id: string) => ({ decimals: chain.tokens.get(id)?.decimals ?? 0 })
    const executed = watched.blocks
      .flatMap((block) =>
        [...SWAPS, ...LIQUIDITY].filter((trade) => trade.block === block && trade.pool === key),
      )
      .map((trade) => ({
        kind: trade.kind,
        user: trade.user,
        pool: key,
        amount0: `${trade.amount0}`,
        amount1: `${trade.amount1}`,
        sqrt_price_x96: `${trade.sqrtPriceX96}`,
        price: priceText(trade.sqrtPriceX96, decimals(token0), decimals(token1)),
        tick: trade.tick,
        liquidity: `${trade.liquidity}`,
        transaction: trade.transaction,
        block: trade.block.height,
        timestamp: new Date(trade.block.timeMs).toISOString(),
      }))
    const rows = await readRows<{ id: string; block: number; transaction: string }>(`/pools/${key}/trades`, 7)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    const inOrder = [...rows].sort((a, b) => b.block - a.block)
    expect(rows).toEqual(inOrder)
    const byTransaction = (a: { transaction: string }, b: { transaction: string }) =>
      a.transaction < b.transaction ? -1 : 1
    const served = rows.map(({ id: _, ...row }) => row)
    expect(served.sort(byTransaction)).toEqual(executed.sort(byTransaction))
    count += rows.length
  }
  expect(count).toBeGreaterThan(300)
})

it.each(CANDLE_INTERVALS)(
  'candles of %s equal those of the swaps, newest first, in any interval',
  async (interval) => {
    const lengthMs = INTERVAL_MS[interval]
    for (const { key, token0, token1 } of POOLS) {
      const decimals = (id: string) => ({ decimals: chain.tokens.get(id)?.decimals ?? 0 })
      const byStart = new Map<number, (typeof SWAPS)[number][]>()
      for (const swap of SWAPS.filter(({ pool }) => pool === key)) {
        const startMs = Math.floor(swap.block.timeMs / lengthMs) * lengthMs
        byStart.set(startMs, [...(byStart.get(startMs) ?? []), swap])
      }
      const expected = [...byStart].reverse().map(([startMs, swaps]) => {
        const prices = swaps.map(({ sqrtPriceX96 }) => sqrtPriceX96)
        const ascending = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        const text = (sqrtPriceX96 = 0n) => priceText(sqrtPriceX96, decimals(token0), decimals(token1))
        const sum = (amounts: readonly bigint[]) => `${amounts.reduce((total, amount) => total + amount, 0n)}`
        return {
          start: new Date(startMs).toISOString(),
          open: text(prices[0]),
          high: text(ascending.at(-1)),
          low: text(ascending[0]),
          close: text(prices.at(-1)),
          volume0: sum(
            swaps.map(({ zeroForOne, amountIn, amountOut }) => (zeroForOne ? amountIn : amountOut)),
          ),
          volume1: sum(
            swaps.map(({ zeroForOne, amountIn, amountOut }) => (zeroForOne ? amountOut : amountIn)),
          ),
        }
      })
      const url = `/pools/${key}/ohlcv?interval=${interval}`
      expect(await readRows(url, 9)).toEqual(expected)
      const seconds = ({ start }: { start: string }) => Date.parse(start) / 1000
      const [newest, oldest] = [expected[1], expected.at(-2)]
      if (!newest || !oldest || expected.length < 4) continue
      // From a candle's exact start up to another's.
      expect(await readRows(`${url}&from=${seconds(oldest)}&to=${seconds(newest)}`)).toEqual(
        expected.slice(2, -1),
      )
      expect(await readRows(`${url}&from=${seconds(oldest) + 1}`)).toEqual(expected.slice(0, -2))
      expect(await readRows(`${url}&to=${seconds(newest) + 1}`)).toEqual(expected.slice(1))
    }
  },
)

it('candles are hourly by default', async () => {
  const [pool] = POOLS
  expect(await read(`/pools/${pool?.key}/ohlcv`)).toEqual(await read(`/pools/${pool?.key}/ohlcv?interval=1h`))
})

it('liquidity equals that of the chain’s positions', async () => {
  let ranges = 0
  for (const { key, amm } of POOLS) {
    const positions = [...chain.positions.values()]
      .filter(({ pool }) => pool === key)
      .map(({ id, tickLower, tickUpper }) => ({
        tickLower,
        tickUpper,
        liquidity: [...amm.positions].find(([name]) => name.startsWith(id))?.[1].liquidity ?? 0n,
      }))
    const rows = await readRows<
      Record<'tick_lower' | 'tick_upper', number> & { liquidity: string; is_active: boolean }
    >(`/pools/${key}/liquidity-distribution`, 4)
    const ticks = [...new Set(positions.flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]))]
    for (const tick of ticks) {
      const behind = positions
        .filter(({ tickLower, tickUpper }) => tickLower <= tick && tick < tickUpper)
        .reduce((sum, { liquidity }) => sum + liquidity, 0n)
      const row = rows.find(({ tick_lower: lower, tick_upper: upper }) => lower <= tick && tick < upper)
      expect([tick, row?.liquidity ?? '0']).toEqual([tick, `${behind}`])
    }
    expect(rows.map((row) => row.tick_lower)).toEqual(rows.map((row) => row.tick_lower).sort((a, b) => a - b))
    for (const row of rows)
      expect(row.is_active).toBe(row.tick_lower <= amm.tick && amm.tick < row.tick_upper)
    ranges += rows.length
  }
  expect(ranges).toBeGreaterThan(POOLS.length)
})

it('the oracle’s mean tick is that of the ticks after each block, weighted by time', async () => {
  const endS = Math.floor(HEAD.timeMs / 1000)
  let compared = 0
  for (const { key } of POOLS) {
    const created = watched.events('poolCreated').filter(({ event }) => event.pool === key)
    const moves = [
      ...created.map(({ event, block }) => ({ tick: event.tick, block })),
      ...watched.blocks.flatMap((block) =>
        SWAPS.filter((swap) => swap.pool === key && swap.block === block).map(({ tick }) => ({
          tick,
          block,
        })),
      ),
    ]
    for (const secondsAgo of [1, 10, 60]) {
      const { data } = await read(`/pools/${key}/oracle?seconds_ago=${secondsAgo}`)
      const [observation] = data.observations
      expect(observation.seconds_ago).toBe(secondsAgo)
      if (observation.tick_cumulative === null) continue
      let sum = 0
      for (let second = endS - secondsAgo; second < endS; second++) {
        // The value at the end of that second: a tick counts from the second of its block on.
        sum += moves.findLast(({ block }) => Math.floor(block.timeMs / 1000) <= second)?.tick ?? Number.NaN
      }
      expect(observation.mean_tick).toBe(Math.floor(sum / secondsAgo))
      compared++
    }
  }
  expect(compared).toBeGreaterThan(POOLS.length)
})

it('the oracle returns several moments by default, and nothing before its oldest observation', async () => {
  const { data } = await read(`/pools/${POOLS[0]?.key}/oracle`)
  expect(data.observations.map((row: { seconds_ago: number }) => row.seconds_ago)).toEqual([
    0, 60, 600, 3600, 86_400,
  ])
  expect(data.observed_at).toBe(new Date(HEAD.timeMs).toISOString())
  expect(data.observations[0]).toMatchObject({ mean_tick: null, price: null })
  expect(data.observations[4]).toEqual({
    seconds_ago: 86_400,
    tick_cumulative: null,
    seconds_per_liquidity_cumulative_x128: null,
    mean_tick: null,
    price: null,
  })
})
