import { expect, test } from 'vitest'
import { createRandom } from '../../../client/time-and-chance.ts'
import { listRouteGroups, MIX_REQUESTS, mixSchema } from '../../../contract/mix.ts'
import { choicesSchema } from '../../../contract/profile.ts'
import { parseRouteGroup } from '../../../contract/series.ts'
import { createMemory, type MixContext, mixRequest, mixRooms } from './mix-requests.ts'

const POOL = { key: 'k/1', symbol: 'AAA', tokenIn: 'in', tokenOut: 'out', amountIn: '1000' }
const context = (more: Partial<MixContext> = {}): MixContext => ({
  choices: choicesSchema.parse({}),
  memory: createMemory(),
  pool: POOL,
  random: createRandom(1),
  ...more,
})

test.each(Object.keys(MIX_REQUESTS))('%s is a read of one path, its values exact strings', (name) => {
  const spec = mixRequest(name, context())
  expect(spec?.method).toBe('GET')
  expect(spec?.path).toMatch(/^\/[^?#]*$/)
  for (const value of Object.values(spec?.query ?? {})) expect(typeof value).toBe('string')
})

test.each([
  { name: 'pool-stats', expected: { path: '/pools/k%2F1/stats', route: '/pools/{key}/stats' } },
  { name: 'swaps-of-pool', expected: { path: '/swaps', query: { limit: '50', pool: 'k/1' } } },
  {
    name: 'route',
    expected: { path: '/route', query: { token_in: 'in', token_out: 'out', amount_in: '1000' } },
  },
  { name: '/aggregator/tickers', expected: { path: '/aggregator/tickers' } },
])('$name', ({ name, expected }) => {
  expect(mixRequest(name, context())).toMatchObject(expected)
})

test('only bodies that the client uses are read', () => {
  const kept = Object.keys(MIX_REQUESTS).filter((name) => !mixRequest(name, context())?.unread)
  expect(kept).toEqual(['explore-page', 'explore-search', 'explore-next', 'pools-next', 'route'])
})

test.each(['pool', 'pool-ohlcv', 'explore-search', 'swaps-of-pool', 'route'])(
  '%s needs a pool, and is omitted if none is known',
  (name) => {
    expect(mixRequest(name, context({ pool: undefined }))).toBeUndefined()
  },
)

test('requests that need a missing profile value are omitted', () => {
  const choices = choicesSchema.parse({
    swapsPoolFilter: null,
    positionsPath: null,
    balancesPath: null,
    publicPaths: [],
  })
  for (const name of ['swaps-of-pool', 'positions', 'balances', 'public-path']) {
    expect(mixRequest(name, context({ choices })), name).toBeUndefined()
  }
})

test.each([...Object.keys(MIX_REQUESTS), '/aggregator/tickers'])(
  '%s is in the route group that objectives use',
  (name) => {
    const { path = '' } = mixRequest(name, context()) ?? {}
    const mix = mixSchema.parse({
      name: 'test',
      description: 'one client',
      durationSeconds: 1,
      clients: [
        {
          name: 'one',
          description: 'sends one request',
          credential: 'api-token',
          arrivalRate: 1,
          sessionDuration: { distribution: 'constant', seconds: 0 },
          thinkTime: { distribution: 'constant', seconds: 0 },
          steps: [{ weight: 1, requests: [name] }],
        },
      ],
    })
    const groups = listRouteGroups(mix, context().choices).filter((group) => group !== 'explore')
    const all = name === 'public-path' ? ['compliance'] : [parseRouteGroup(path)]
    expect(groups).toEqual(all.filter((group) => group !== 'explore'))
  },
)

const row = (key: string, more = {}) => ({
  key,
  token0: `${key}-in`,
  token1: `${key}-out`,
  token0Symbol: key.toUpperCase(),
  token0Decimals: 3,
  ...more,
})

test('keeps the pools of pages, with the fields that requests need', () => {
  const memory = createMemory()
  expect(memory.knows()).toBe(false)
  memory.learn({ data: [row('a'), row('a'), { key: 5 }, null, 'nonsense'] })
  expect(memory.knows()).toBe(true)
  expect(memory.pick({ skew: 1, random: createRandom(1) })).toEqual({
    key: 'a',
    symbol: 'A',
    tokenIn: 'a-in',
    tokenOut: 'a-out',
    amountIn: '1000',
  })
})

test.each([undefined, null, 'text', { data: {} }, { data: [{}] }])('learns nothing of %j', (body) => {
  const memory = createMemory()
  memory.learn(body)
  expect(memory.knows()).toBe(false)
  expect(memory.pick({ skew: 1, random: createRandom(1) })).toBeUndefined()
  expect(memory.pickSome(3, { skew: 1, random: createRandom(1) })).toEqual([])
})

test('implausible decimals give an amount of one', () => {
  const memory = createMemory()
  memory.learn({ data: [row('a', { token0Decimals: 1e9 })] })
  expect(memory.pick({ skew: 0, random: createRandom(1) })?.amountIn).toBe('1')
})

test('picks distinct pools, or all of them if there are fewer', () => {
  const memory = createMemory()
  memory.learn({ data: ['a', 'b', 'c', 'd'].map((key) => row(key)) })
  const options = { skew: 3, random: createRandom(1) }
  expect(new Set(memory.pickSome(3, options).map(({ key }) => key)).size).toBe(3)
  expect(memory.pickSome(9, options)).toHaveLength(4)
})

test('a list advances by the rows received, and restarts after its end', () => {
  const memory = createMemory()
  memory.advance('pools', { data: [row('a'), row('b')] })
  expect([memory.offset('pools'), memory.offset('explore')]).toEqual([2, 0])
  memory.advance('pools', { data: [] })
  expect(memory.offset('pools')).toBe(0)
})

const NONE = { pool_stats: 0, ohlcv: 0, trades: 0, pool_launches: 0, protocol_config: 0, balances: 0 }

function rooms(counts: object, address?: string): string[] {
  const memory = createMemory()
  memory.learn({ data: ['a', 'b', 'c'].map((key) => ({ key, token0: 'x', token1: 'y' })) })
  return mixRooms({ counts: { ...NONE, ...counts }, memory, skew: 1, address, random: createRandom(3) })
}

test('the requested number of pool rooms, with the same pools in each kind', () => {
  const joined = rooms({ pool_stats: 2, trades: 1 })
  expect(joined).toHaveLength(3)
  const [first, second, trades] = joined.map((room) => room.split(':')[1])
  expect(first).not.toBe(second)
  expect(trades).toBe(first)
})

test('no more pool rooms than there are pools', () => {
  expect(rooms({ pool_stats: 30 })).toHaveLength(3)
})

test('the balance room is that of the own wallet, and omitted if unknown', () => {
  const counts = { pool_launches: 1, protocol_config: 1, balances: 1 }
  expect(rooms(counts, 'bw1')).toEqual(['pool_launches', 'protocol_config', 'balances:bw1'])
  expect(rooms(counts)).toEqual(['pool_launches', 'protocol_config'])
})
