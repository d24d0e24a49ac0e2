import { expect, it } from 'vitest'
import { BAD_NUMBERS } from '../test-bad-numbers.ts'
import { createTestBed } from '../test-bed.ts'
import { watchedWorld } from '../test-world.ts'

const watched = watchedWorld(2)

const { chain } = watched.world.state()

const bed = await createTestBed({ world: watched.world })

const POOLS = [...chain.pools.values()]

const SUB_ROUTES = ['stats', 'ohlcv', 'liquidity-distribution', 'trades', 'oracle']

const KEY = POOLS[0]?.key ?? ''

it.each(SUB_ROUTES)('/pools/{key}/%s returns 404 for any unknown key', async (name) => {
  for (const key of ['unknown', KEY.toUpperCase(), `${KEY}%20`, KEY.slice(1), '..%2F', '%00', 'stats']) {
    const response = await bed.call(`/pools/${key}/${name}`)
    expect([response.statusCode, response.json().code]).toEqual([404, 'pool_not_found'])
  }
  expect((await bed.call(`/pools/${'9'.repeat(513)}/${name}`)).statusCode).toBe(400)
})

it.each([
  ...BAD_NUMBERS.flatMap((value) => [
    `ohlcv?from=${value}`,
    `ohlcv?to=${value}`,
    `oracle?seconds_ago=${value}`,
  ]),
  'ohlcv?interval=2h',
  'ohlcv?interval=1H',
  'ohlcv?interval=',
  'ohlcv?interval=constructor',
  'ohlcv?interval=1h&interval=1h',
  'ohlcv?from=5&to=5',
  'ohlcv?from=6&to=5',
  'ohlcv?to=0',
  'ohlcv?from=1&from=2',
  'ohlcv?from=253402300800',
  'oracle?seconds_ago=2592001',
  'oracle?seconds_ago=0&seconds_ago=60',
])('/pools/{key}/%s returns 400', async (query) => {
  const response = await bed.call(`/pools/${KEY}/${query}`)
  expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request'])
})

it.each(['ohlcv?from=0', 'ohlcv?to=253402300799', 'ohlcv?from=4&to=5', 'oracle?seconds_ago=2592000'])(
  '/pools/{key}/%s returns 200',
  async (query) => {
    expect((await bed.call(`/pools/${KEY}/${query}`)).statusCode).toBe(200)
  },
)

it('names the time that is not before the other', async () => {
  const { error } = (await bed.call(`/pools/${KEY}/ohlcv?from=6&to=5`)).json()
  expect(error).toBe('the request is malformed: from: expected a time before to')
})
