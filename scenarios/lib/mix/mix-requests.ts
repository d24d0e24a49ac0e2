import type { MixRequestName } from '../../../contract/mix.ts'
import type { Choices } from '../../../contract/profile.ts'
import type { RequestSpec } from '../requests/request.ts'
import type { KnownPool, Memory } from './mix-memory.ts'

export type MixContext = {
  choices: Choices
  memory: Memory
  /** The pool that the step is about; undefined where the client knows none. */
  pool: KnownPool | undefined
  random: () => number
}

type Spec = RequestSpec | undefined

/** The request that a mix means; undefined where it takes a pool and none is known, or what the profile does not tell. */
export function mixRequest(name: string, context: MixContext): Spec {
  const make = SPECS[name as MixRequestName] // as: any text may be looked up
  return make === undefined ? read(name) : make(context)
}

const SPECS: Record<MixRequestName, (context: MixContext) => Spec> = {
  'explore-page': ({ random }) =>
    follow('/explore/pools', { window: '1d', limit: '20', offset: String(20 * Math.floor(3 * random())) }),
  // The specification lets a search match symbols; what a hostile symbol finds is for probes to judge.
  'explore-search': ({ pool }) =>
    pool && follow('/explore/pools', { limit: '20', search: pool.symbol.slice(0, 40) }),
  'explore-next': ({ memory }) =>
    follow('/explore/pools', { limit: '100', offset: String(memory.offset('explore')) }),
  'pools-page': () => read('/pools', { limit: '50' }),
  'pools-next': ({ memory }) => follow('/pools', { limit: '100', offset: String(memory.offset('pools')) }),
  'pools-stats': () => read('/pools/stats'),
  pool: (context) => ofPool(context, ''),
  'pool-stats': (context) => ofPool(context, '/stats'),
  'pool-ohlcv': (context) => ofPool(context, '/ohlcv'),
  'pool-trades': (context) => ofPool(context, '/trades'),
  'pool-liquidity': (context) => ofPool(context, '/liquidity-distribution'),
  'pool-oracle': (context) => ofPool(context, '/oracle'),
  tokens: () => read('/tokens'),
  'public-path': ({ choices: { publicPaths }, random }) =>
    readMaybe(publicPaths[Math.floor(publicPaths.length * random())]),
  swaps: () => read('/swaps', { limit: '50' }),
  'swaps-of-pool': ({ choices: { swapsPoolFilter }, pool }) =>
    pool && swapsPoolFilter !== null
      ? read('/swaps', { limit: '50', [swapsPoolFilter]: pool.key })
      : undefined,
  unclaimed: () => read('/unclaimed'),
  'fee-tiers': () => read('/fee-tiers'),
  'schema-trading': () => read('/schema/trading'),
  'access-status': () => read('/access/status'),
  'referral-status': () => read('/referral/status'),
  positions: ({ choices }) => readMaybe(choices.positionsPath),
  balances: ({ choices }) => readMaybe(choices.balancesPath),
  route: ({ pool }) =>
    pool && follow('/route', { token_in: pool.tokenIn, token_out: pool.tokenOut, amount_in: pool.amountIn }),
}

/** A read that a client goes on by: its next page, the pools that it picks from, the revision of its route. */
function follow(path: string, query: Record<string, string>): RequestSpec {
  return { method: 'GET', path, query }
}

/** A read whose answer nobody looks into, beyond its status. */
function read(path: string, query: Record<string, string> = {}): RequestSpec {
  return { method: 'GET', path, query, unread: true }
}

function readMaybe(path: string | null | undefined): Spec {
  return path === null || path === undefined ? undefined : read(path)
}

/** Tagged by the route's pattern: a key of its own would make a series of each pool. */
function ofPool({ pool }: MixContext, rest: string): Spec {
  if (pool === undefined) return undefined
  return {
    method: 'GET',
    path: `/pools/${encodeURIComponent(pool.key)}${rest}`,
    route: `/pools/{key}${rest}`,
    unread: true,
  }
}
