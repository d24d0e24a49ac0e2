import { expect, test } from 'vitest'
import { configChangedSchema } from '../../contract/schemas/feed.ts'
import { plain } from '../choices/plain.ts'
import type { BlockUpdate, PoolView, TokenView } from '../indexer/views.ts'
import { eventsOf } from './events.ts'

const pool: PoolView = {
  id: 'p1',
  key: 'key1',
  token0: token('1field'),
  token1: token('2field'),
  feePips: 3000,
  tickSpacing: 60,
  enabled: true,
  createdAtMs: 0,
  sqrtPriceX96: 2n ** 96n,
  tick: 0,
  liquidity: 10n ** 18n,
  balance0: 10n ** 12n,
  balance1: 10n ** 12n,
}

const BLOCK: BlockUpdate = {
  block: { height: 8, hash: 'h8', timeMs: Date.UTC(2025, 0, 1, 12) },
  launches: [],
  poolStats: [],
  trades: [],
  candles: [],
  balanceChanges: [],
  config: null,
  reorged: 0,
}
const AT = { block: 8, timestamp: '2025-01-01T12:00:00.000Z' }

test('an empty block has no events', () => {
  expect([...eventsOf(BLOCK, plain)]).toEqual([])
})

test('a launch', () => {
  expect([...eventsOf({ ...BLOCK, launches: [pool] }, plain)]).toEqual([
    {
      room: 'pool_launches',
      type: 'PoolLaunch',
      data: {
        id: 'p1',
        pool: pool.key,
        token0: pool.token0.id,
        token1: pool.token1.id,
        fee: '3000',
        enabled: true,
        ...AT,
      },
    },
  ])
})

test('statistics of a pool', () => {
  expect([...eventsOf({ ...BLOCK, poolStats: [pool] }, plain)]).toEqual([
    {
      room: `pool_stats:${pool.key}`,
      type: 'PoolStats',
      data: {
        id: '8-p1',
        pool: pool.key,
        price: '1',
        sqrt_price_x96: '79228162514264337593543950336',
        tick: 0,
        liquidity: '1000000000000000000',
        balance0: '1000000000000',
        balance1: '1000000000000',
        ...AT,
      },
    },
  ])
})

test('a trade, its amounts exact beyond what a number holds', () => {
  const trade = {
    id: 't1',
    pool: pool.key,
    kind: 'swap',
    amount0: 2n ** 80n,
    amount1: -(2n ** 70n) - 1n,
    sqrtPriceX96: 2n ** 96n,
    tick: -5,
    liquidity: 10n ** 18n,
    price: '0.9995',
    transaction: 'tx1',
    user: 'bw1a',
    block: 8,
    atMs: BLOCK.block.timeMs,
  } as const
  expect([...eventsOf({ ...BLOCK, trades: [trade] }, plain)]).toEqual([
    {
      room: `trades:${pool.key}`,
      type: 'Trade',
      data: {
        id: 't1',
        pool: pool.key,
        kind: 'swap',
        amount0: '1208925819614629174706176',
        amount1: '-1180591620717411303425',
        price: '0.9995',
        sqrt_price_x96: '79228162514264337593543950336',
        tick: -5,
        liquidity: '1000000000000000000',
        transaction: 'tx1',
        ...AT,
      },
    },
  ])
})

test('a candle', () => {
  const candle = {
    pool: pool.key,
    interval: '1m',
    startMs: Date.UTC(2025, 0, 1, 11, 59),
    open: '1.1',
    high: '1.3',
    low: '1',
    close: '1.2',
    volume0: 5n,
    volume1: 6n,
  } as const
  expect([...eventsOf({ ...BLOCK, candles: [candle] }, plain)]).toEqual([
    {
      room: `ohlcv:${pool.key}`,
      type: 'Ohlcv',
      data: {
        id: '8-0',
        pool: pool.key,
        interval: '1m',
        start: '2025-01-01T11:59:00.000Z',
        open: '1.1',
        high: '1.3',
        low: '1',
        close: '1.2',
        volume0: '5',
        volume1: '6',
        ...AT,
      },
    },
  ])
})

test('balance changes, each with an id of its own', () => {
  const change = { address: 'bw1a', token: pool.token0, delta: -5n, balance: 7n, block: 8 }
  const events = [...eventsOf({ ...BLOCK, balanceChanges: [change, change] }, plain)]
  expect(events[0]).toEqual({
    room: 'balances:bw1a',
    type: 'BalanceChange',
    data: { id: '8-0', address: 'bw1a', token: pool.token0.id, delta: '-5', balance: '7', ...AT },
  })
  expect(events.map(({ data }) => data.id)).toEqual(['8-0', '8-1'])
})

test('a change of the configuration', () => {
  const config = { revision: 4, observedBlock: 8, changes: [{ scope: 'pause', key: 'global' }] }
  const [event] = [...eventsOf({ ...BLOCK, config }, plain)]
  expect(event).toEqual({
    room: 'protocol_config',
    type: 'ProtocolConfigChanged',
    data: { id: '4', revision: 4, observed_block: 8, changes: [{ scope: 'pause', key: 'global' }] },
  })
  configChangedSchema.parse(event)
})

function token(id: string): TokenView {
  return {
    id,
    address: `bw1${id}`,
    symbol: id,
    name: id,
    decimals: 6,
    ammTokenProgram: `${id}.program`,
    underlyingProgram: null,
    underlyingTokenId: null,
    image: null,
    createdAtMs: 0,
    supply: 10n ** 20n,
  }
}
