import { expect, test } from 'vitest'
import { configChangedSchema } from '../../../contract/schemas/wire.ts'
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import type { PoolStatsView, PoolView, TokenView } from '../../indexer/views/market-views.ts'
import type { BlockUpdate } from '../../indexer/views/views.ts'
import { type EventOptions, generateEvents } from './events.ts'

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

const WINDOW = {
  startMs: Date.UTC(2025, 0, 1, 11),
  volume0: 2n ** 80n,
  volume1: 7n,
  volumeUsd: '7.5',
  priceChangePct: null,
}
const STATS: PoolStatsView = {
  pool,
  price: '1',
  priceUsd: '2.5',
  tvlUsd: null,
  windows: { '1h': WINDOW, '1d': WINDOW, '1w': WINDOW, '1m': WINDOW },
}
const ALL: EventOptions = { choices: defaultChoices, views: { poolStats: () => STATS }, isWanted: () => true }

const TRADE = {
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

test('an empty block has no events', () => {
  expect([...generateEvents(BLOCK, ALL)]).toEqual([])
})

test('a launch', () => {
  expect([...generateEvents({ ...BLOCK, launches: [pool] }, ALL)]).toEqual([
    {
      room: 'pool_launches',
      type: 'PoolLaunch',
      data: {
        id: 'p1',
        pool: pool.key,
        key: pool.key,
        token0: pool.token0.id,
        token1: pool.token1.id,
        token0_name: '1field',
        token1_name: '2field',
        token0_symbol: '1field',
        token1_symbol: '2field',
        token0_decimals: 6,
        token1_decimals: 6,
        token0_image: null,
        token1_image: null,
        fee: '3000',
        tick_spacing: 60,
        enabled: true,
        created_at: '1970-01-01T00:00:00.000Z',
        sqrt_price_x96: '79228162514264337593543950336',
        tick: 0,
        liquidity: '1000000000000000000',
        ...AT,
      },
    },
  ])
})

test('pool statistics', () => {
  const window = {
    start: '2025-01-01T11:00:00.000Z',
    volume0: '1208925819614629174706176',
    volume1: '7',
    volume_usd: '7.5',
    price_change_pct: null,
  }
  expect([...generateEvents({ ...BLOCK, poolStats: [pool] }, ALL)]).toEqual([
    {
      room: `pool_stats:${pool.key}`,
      type: 'PoolStats',
      data: {
        id: '8-p1',
        pool: pool.key,
        price: '1',
        price_usd: '2.5',
        tvl_usd: null,
        sqrt_price_x96: '79228162514264337593543950336',
        tick: 0,
        liquidity: '1000000000000000000',
        balance0: '1000000000000',
        balance1: '1000000000000',
        enabled: true,
        windows: { '1h': window, '1d': window, '1w': window, '1m': window },
        ...AT,
      },
    },
  ])
})

test('a trade, with exact amounts above the safe integers', () => {
  expect([...generateEvents({ ...BLOCK, trades: [TRADE] }, ALL)]).toEqual([
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
        user: 'bw1a',
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
  expect([...generateEvents({ ...BLOCK, candles: [candle] }, ALL)]).toEqual([
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

test('balance changes: one per balance, with the total of the block and its own id', () => {
  const change = (token: TokenView, delta: bigint, balance: bigint) => ({
    address: 'bw1a',
    token,
    delta,
    balance,
    block: 8,
  })
  const { token0, token1 } = pool
  const balanceChanges = [change(token0, -5n, 7n), change(token1, 3n, 3n), change(token0, 1n, 8n)]
  const events = [...generateEvents({ ...BLOCK, balanceChanges }, ALL)]
  expect(events).toEqual([
    {
      room: 'balances:bw1a',
      type: 'BalanceChange',
      data: { id: '8-0', address: 'bw1a', token: token0.id, delta: '-4', balance: '8', ...AT },
    },
    {
      room: 'balances:bw1a',
      type: 'BalanceChange',
      data: { id: '8-1', address: 'bw1a', token: token1.id, delta: '3', balance: '3', ...AT },
    },
  ])
})

test('a balance that returns to its old value has not changed', () => {
  const change = { address: 'bw1a', token: pool.token0, block: 8 }
  const balanceChanges = [
    { ...change, delta: -5n, balance: 7n },
    { ...change, delta: 5n, balance: 12n },
  ]
  expect([...generateEvents({ ...BLOCK, balanceChanges }, ALL)]).toEqual([])
})

test('a private trade has no user', () => {
  const trade = { ...TRADE, user: null }
  const [event] = [...generateEvents({ ...BLOCK, trades: [trade] }, ALL)]
  expect(event?.data.user).toBeNull()
})

test('computes nothing for a room without members', () => {
  const poolStats = () => {
    throw new Error('unexpected read for a room without members')
  }
  const isWanted = (room: string) => room === `trades:${pool.key}`
  const update = { ...BLOCK, launches: [pool], poolStats: [pool], trades: [TRADE] }
  const events = [...generateEvents(update, { ...ALL, views: { poolStats }, isWanted })]
  expect(events.map(({ type }) => type)).toEqual(['Trade'])
})

test('a change of the configuration', () => {
  const config = { revision: 4, observedBlock: 8, changes: [{ scope: 'pause', key: 'global' }] }
  const [event] = [...generateEvents({ ...BLOCK, config }, ALL)]
  expect(event).toEqual({
    room: 'protocol_config',
    type: 'ProtocolConfigChanged',
    data: { id: '4', revision: 4, observed_block: 8, changes: [{ scope: 'pause', key: 'global' }] },
  })
  configChangedSchema.parse(event)
})

test('a change names pools as all other events do', () => {
  const config = { revision: 4, observedBlock: 8, changes: [{ scope: 'pause', key: '123field' }] }
  const [event] = [...generateEvents({ ...BLOCK, config }, { ...ALL, choices: alternativeChoices })]
  expect(event?.data).toMatchObject({
    changed: { entries: [{ scope: 'pause', key: alternativeChoices.wire.poolKey.encode('123field') }] },
  })
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
