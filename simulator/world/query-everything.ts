import { LIMITS } from '../../contract/limits.ts'
import type { CandleInterval } from '../indexer/candle-interval.ts'
import type { ExploreSort, MetricWindow } from '../indexer/views/market-views.ts'
import type { Views } from '../indexer/views/views.ts'

const ALL = { limit: 100_000, offset: 0 }
const PAGES = [ALL, { limit: 3, offset: 0 }, { limit: 5, offset: 7 }]
const WINDOWS: readonly MetricWindow[] = ['1h', '1d', '1w', '1m']
const SORTS: readonly ExploreSort[] = ['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct']
const INTERVALS: readonly CandleInterval[] = ['1m', '5m', '15m', '1h', '4h', '1d']
const SECONDS_AGO = [0, 1, 60, 3600, 100_000]
const ROUTED_TOKENS = 8

/**
 * For tests: results of every view, for all kinds of query about every token, pool and address. Worlds with equal results are
 * indistinguishable to any reader.
 */
export function queryEverything(views: Views, addresses: readonly string[]): object {
  const known: Known = { tokens: listTokenIds(views), pools: listPoolKeys(views), addresses }
  return Object.fromEntries(Object.entries(QUERIES).map(([name, ask]) => [name, ask(views, known)]))
}

type Known = { tokens: readonly string[]; pools: readonly string[]; addresses: readonly string[] }

/** One per view: the type requires an entry for a new view. */
const QUERIES: { [View in keyof Views]: (views: Views, known: Known) => unknown } = {
  head: (views) => views.head(),
  tokens: (views) => views.tokens(),
  token: (views, { tokens }) => [...tokens, 'unknown'].map((id) => views.token(id)),
  pools: (views) => PAGES.map((page) => views.pools(page)),
  pool: (views, { pools }) => [...pools, 'unknown'].map((key) => views.pool(key)),
  explorePools: (views) =>
    WINDOWS.flatMap((window) =>
      SORTS.flatMap((sort) => [
        views.explorePools({ ...ALL, window, sort, order: 'desc' }),
        views.explorePools({ limit: 3, offset: 2, window, sort, order: 'asc', search: 'usd' }),
      ]),
    ),
  exploreOrder: (views) =>
    WINDOWS.map((window) => {
      const { rows, places } = views.exploreOrder({ window, sort: 'tvlUsd', order: 'asc' })
      return Array.from(places, (place) => rows[place])
    }),
  exploreTokens: (views) =>
    WINDOWS.flatMap((window) =>
      SORTS.flatMap((sort) => [
        views.exploreTokens({ ...ALL, window, sort, order: 'desc' }),
        views.exploreTokens({ limit: 3, offset: 2, window, sort, order: 'asc', search: 'usd' }),
      ]),
    ),
  exploreStats: (views) => WINDOWS.map((window) => views.exploreStats(window)),
  swaps: (views, { pools, addresses }) => [
    ...PAGES.map((page) => views.swaps({ ...page, viewer: null })),
    ...pools.map((pool) => views.swaps({ ...ALL, viewer: null, pool })),
    ...addresses.flatMap((viewer) => [
      views.swaps({ ...ALL, viewer }),
      views.swaps({ ...ALL, viewer, pool: pools[0] ?? '' }),
    ]),
  ],
  protocolState: (views) => views.protocolState(),
  route: (views, { tokens }) => {
    const some = tokens.slice(0, ROUTED_TOKENS)
    return some.flatMap((tokenIn) =>
      some.map((tokenOut) =>
        views.route({ tokenIn, tokenOut, amountIn: 12_345_678n, hopsMax: LIMITS.routeHopsMax }),
      ),
    )
  },
  positions: (views, { addresses }) =>
    addresses.flatMap((address) => [
      views.positions({ ...ALL, address, viewer: address }),
      views.positions({ limit: 2, offset: 1, address, viewer: null }),
    ]),
  position: (views, { addresses }) =>
    addresses.flatMap((address) =>
      views
        .positions({ limit: 2, offset: 0, address, viewer: address })
        .rows.map(({ id }) => views.position({ address, id })),
    ),
  unclaimed: (views, { addresses }) =>
    addresses.flatMap((address) => [
      views.unclaimed({ address, viewer: address }),
      views.unclaimed({ address, viewer: null }),
    ]),
  feeTiers: (views) => views.feeTiers(),
  balances: (views, { addresses }) => addresses.map((address) => views.balances(address)),
  trades: (views, { pools }) =>
    [{}, ...pools.map((pool) => ({ pool }))].flatMap((of) =>
      PAGES.map((page) => views.trades({ ...page, ...of })),
    ),
  candles: (views, { pools }) =>
    pools.flatMap((pool) => INTERVALS.map((interval) => views.candles({ ...ALL, pool, interval }))),
  poolStats: (views, { pools }) => [...pools, 'unknown'].map((pool) => views.poolStats(pool)),
  liquidityDistribution: (views, { pools }) =>
    [...pools, 'unknown'].map((pool) => views.liquidityDistribution(pool)),
  oracle: (views, { pools }) =>
    [...pools, 'unknown'].map((pool) => views.oracle({ pool, secondsAgos: SECONDS_AGO })),
  compliance: (views) => views.compliance(),
  faucetRecords: (views, { addresses }) => addresses.map((address) => views.faucetRecords(address)),
}

function listTokenIds(views: Views): readonly string[] {
  return views.tokens().map(({ id }) => id)
}

function listPoolKeys(views: Views): readonly string[] {
  return views.pools(ALL).rows.map(({ key }) => key)
}
