import { expect, test } from 'vitest'
import { MIX_REQUESTS, mixSchema, routeGroupsOf } from '../../../contract/mix.ts'
import { choicesSchema } from '../../../contract/profile.ts'
import { routeGroupOf } from '../../../contract/series.ts'
import { createRandom } from '../random.ts'
import { createMemory } from './mix-memory.ts'
import { type MixContext, mixRequest } from './mix-requests.ts'

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

test('what a client goes on by is kept, all else is left unread', () => {
  const kept = Object.keys(MIX_REQUESTS).filter((name) => !mixRequest(name, context())?.unread)
  expect(kept).toEqual(['explore-page', 'explore-search', 'explore-next', 'pools-next', 'route'])
})

test.each(['pool', 'pool-ohlcv', 'explore-search', 'swaps-of-pool', 'route'])(
  '%s takes a pool, and is left out where none is known',
  (name) => {
    expect(mixRequest(name, context({ pool: undefined }))).toBeUndefined()
  },
)

test('what the profile does not tell is left out', () => {
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
  '%s lies in the route group that objectives know it by',
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
          arrivalsPerSecond: 1,
          life: { distribution: 'constant', seconds: 0 },
          think: { distribution: 'constant', seconds: 0 },
          steps: [{ weight: 1, requests: [name] }],
        },
      ],
    })
    const groups = routeGroupsOf(mix, context().choices).filter((group) => group !== 'explore')
    const all = name === 'public-path' ? ['compliance'] : [routeGroupOf(path)]
    expect(groups).toEqual(all.filter((group) => group !== 'explore'))
  },
)
