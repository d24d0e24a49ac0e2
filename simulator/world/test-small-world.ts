import { LIMITS } from '../../contract/limits.ts'
import type { Block } from '../chain/block.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createClock } from '../clock.ts'
import type { CandleInterval } from '../indexer/candle-interval.ts'
import type { ExploreSort, MetricWindow } from '../indexer/views/market-views.ts'
import type { Views } from '../indexer/views/views.ts'
import { createRandom, type Random } from '../random.ts'
import { listed } from '../test-listed.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { createWorld, type World } from './world.ts'

const tiny = loadWorldFixture('tiny')

/** Half an hour of history, then all kinds of activity in few blocks. */
export const SMALL: WorldFixture = {
  ...tiny,
  history: { blocks: 30, blockIntervalMs: 60_000 },
  tokens: { ...tiny.tokens, spokes: 3, tail: 2 },
  crossPools: 2,
  swapsPerBlock: 3,
  claims: { afterBlocks: 1, probabilityPerBlock: 0.4, partialShare: 0.3 },
  liquidity: { ...tiny.liquidity, actionsPerBlock: 1.5 },
  faucet: { ...tiny.faucet, claimsPerBlock: 0.3 },
  launches: { ...tiny.launches, fromBlock: 32, everyBlocks: 7, poolsMax: 40 },
  governance: { ...tiny.governance, everyBlocks: 5 },
}

export type SmallWorld = {
  world: World
  random: Random
  /** Hashes of all mined blocks, including the history and reverted ones. */
  hashes: string[]
  canonical: Block[]
}

export function createSmallWorld(seed: number): SmallWorld {
  const random = createRandom(seed)
  const clock = createClock({ startMs: parseStartMs(SMALL) })
  const hashes: string[] = []
  const canonical: Block[] = []
  const onMined = (block: Block): void => {
    hashes.push(block.hash)
    canonical.length = block.height
    canonical.push(block)
  }
  const world = createWorld({ fixture: SMALL, seed, random, clock, accounts: ['bw1account'], onMined })
  return { world, random, hashes, canonical }
}

/** All observable state of a world, and everything that determines its future. */
export function shown({ world, random }: { world: World; random: Random }): object {
  const { chain, index, mempool, waiting } = world.state()
  return listed({
    answers: queryEverything(world.views, [...index.balances.keys()]),
    clock: world.clock.nowMs(),
    random: random.save(),
    chain: { ...chain, journal: null },
    waiting: [mempool, waiting.map(({ hash }) => hash)],
    settings: [world.mining(), world.lag(), world.state().held, world.eventLogHash()],
  }) as object // as: of an object
}

/** Mints to an account: only tests submit it. */
export function mintTo(world: World, amount: bigint, recipient = 'bw1account'): Transaction {
  const tokenId = world.views.tokens()[0]?.id ?? ''
  return { kind: 'mintToken', sender: world.administrator, tokenId, shares: [{ recipient, amount }] }
}

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
