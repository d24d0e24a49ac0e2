import type { MixClient, MixRequestName } from '../../../contract/mix.ts'
import type { Choices } from '../../../contract/profile.ts'
import { pickRows, pickText } from '../pick.ts'
import type { RequestSpec } from '../requests/request.ts'
import { pickRank } from './mix-chance.ts'

export type MixContext = {
  choices: Choices
  memory: Memory
  /** The pool of this step; undefined if the client knows none. */
  pool: KnownPool | undefined
  random: () => number
}

type Spec = RequestSpec | undefined

/**
 * Builds the named request. Undefined if it needs a pool and none is known, or needs a value missing from the
 * profile.
 */
export function mixRequest(name: string, context: MixContext): Spec {
  const make = SPECS[name as MixRequestName] // as: any text may be looked up
  return make === undefined ? read(name) : make(context)
}

const SPECS: Record<MixRequestName, (context: MixContext) => Spec> = {
  'explore-page': ({ random }) =>
    follow('/explore/pools', { window: '1d', limit: '20', offset: String(20 * Math.floor(3 * random())) }),
  // The specification lets a search match symbols; probes judge hostile symbols.
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

/** A read whose body the client uses: next page, known pools, route revision. */
function follow(path: string, query: Record<string, string>): RequestSpec {
  return { method: 'GET', path, query }
}

/** A read of which only the status counts. */
function read(path: string, query: Record<string, string> = {}): RequestSpec {
  return { method: 'GET', path, query, unread: true }
}

function readMaybe(path: string | null | undefined): Spec {
  return path === null || path === undefined ? undefined : read(path)
}

/** Tagged by route pattern; a tag with the key would create a time series per pool. */
function ofPool({ pool }: MixContext, rest: string): Spec {
  if (pool === undefined) return undefined
  return {
    method: 'GET',
    path: `/pools/${encodeURIComponent(pool.key)}${rest}`,
    route: `/pools/{key}${rest}`,
    unread: true,
  }
}

export type KnownPool = { key: string; symbol: string; tokenIn: string; tokenOut: string; amountIn: string }

/** Lists that a client pages through. */
type Cursor = 'explore' | 'pools'

/** Market data shared by the successive clients of one VU. */
export type Memory = {
  knows(): boolean
  learn(body: unknown): void
  pick(options: { skew: number; random: () => number }): KnownPool | undefined
  /** Picks distinct pools; the distribution starts like pick. */
  pickSome(count: number, options: { skew: number; random: () => number }): KnownPool[]
  offset(list: Cursor): number
  /** Advances by the received rows; an empty page starts over. */
  advance(list: Cursor, body: unknown): void
}

const POOLS_MAX = 200

export function createMemory(): Memory {
  const pools: KnownPool[] = []
  const keys = new Set<string>()
  const offsets: Record<Cursor, number> = { explore: 0, pools: 0 }
  const pick: Memory['pick'] = ({ skew, random }) => pools[pickRank(pools.length, skew, random)]
  return {
    knows: () => pools.length > 0,
    learn(body) {
      for (const row of pickRows(body, 'data') ?? []) {
        if (pools.length >= POOLS_MAX) return
        const pool = readPool(row)
        if (pool === undefined || keys.has(pool.key)) continue
        keys.add(pool.key)
        pools.push(pool)
      }
    },
    pick,
    pickSome(count, options) {
      const chosen = new Set<KnownPool>()
      // Duplicates get more likely as fewer pools are left, so tries are bounded and the rest is taken in
      // order.
      for (let tries = 0; tries < count * 4 && chosen.size < count; tries++) {
        const pool = pick(options)
        if (pool !== undefined) chosen.add(pool)
      }
      for (const pool of pools) {
        if (chosen.size >= count) break
        chosen.add(pool)
      }
      return [...chosen]
    },
    offset: (list) => offsets[list],
    advance(list, body) {
      const rows = pickRows(body, 'data')?.length ?? 0
      offsets[list] = rows === 0 ? 0 : offsets[list] + rows
    },
  }
}

function readPool(row: unknown): KnownPool | undefined {
  const [key, tokenIn, tokenOut] = ['key', 'token0', 'token1'].map((name) => pickText(row, name))
  if (key === undefined || tokenIn === undefined || tokenOut === undefined) return undefined
  const decimals = Number(pickText(row, 'token0Decimals') ?? 6)
  const symbol = pickText(row, 'token0Symbol') ?? ''
  // One whole token in base units; implausible decimals count as 0.
  const zeros = Number.isInteger(decimals) && decimals >= 0 && decimals <= 36 ? decimals : 0
  return { key, symbol, tokenIn, tokenOut, amountIn: `1${'0'.repeat(zeros)}` }
}

type Counts = NonNullable<MixClient['feed']>['rooms']

const POOL_ROOMS = ['pool_stats', 'ohlcv', 'trades'] as const
const SINGLE_ROOMS = ['pool_launches', 'protocol_config'] as const

/** Rooms that a client joins. Room kinds share the same pools, as a client views a pool in several ways. */
export function mixRooms(options: {
  counts: Counts
  memory: Memory
  skew: number
  /** Address of the client's wallet; undefined if unknown. */
  address: string | undefined
  random: () => number
}): string[] {
  const { counts, memory, address } = options
  const pools = memory.pickSome(Math.max(...POOL_ROOMS.map((room) => counts[room])), options)
  return [
    ...SINGLE_ROOMS.filter((room) => counts[room] > 0),
    ...(counts.balances > 0 && address !== undefined ? [`balances:${address}`] : []),
    ...POOL_ROOMS.flatMap((room) => pools.slice(0, counts[room]).map(({ key }) => `${room}:${key}`)),
  ]
}
