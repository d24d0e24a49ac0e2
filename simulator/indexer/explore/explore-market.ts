import { countAppended } from '../history/history-log.ts'
import type { IndexedPool, IndexState } from '../index-state.ts'
import { dollarPriceText, dollarText, percentText } from '../pools/pool-figures.ts'
import { dollars, type Pricing, priceThrough } from '../pools/valuation.ts'
import { PERCENT_DECIMALS, powerOf10, SCALE } from '../price.ts'
import {
  type ExploreQuery,
  type ExploreSort,
  INTERNAL_SPELLING,
  type MetricWindow,
  type Spelling,
  type TokenRow,
  type TokenView,
} from '../views/market-views.ts'
import type { Page, Views } from '../views/views.ts'
import type { Explore } from './explore.ts'
import type { RankedPool } from './explore-window.ts'
import { createRankOrder } from './rank-order.ts'

/** Results for one block, identified by its hash. */
type Known = {
  hash: string
  figures: Map<MetricWindow, MarketFigures>
  /** By window, sort and order. */
  orders: Map<string, readonly string[]>
}

/** Tokens with their figures, and the market totals: computed once per block and window, on demand. */
export function createExploreMarket(
  state: IndexState,
  options: { pricing: () => Pricing; rankedPools: Explore['rankedPools'] },
): Pick<Views, 'exploreTokens' | 'exploreStats'> {
  let known: Known = { hash: '', figures: new Map(), orders: new Map() }
  const knownNow = (): Known => {
    const { hash } = state.head
    if (known.hash !== hash) known = { hash, figures: new Map(), orders: new Map() }
    return known
  }
  const figuresIn = (window: MetricWindow): MarketFigures =>
    madeOnce(knownNow().figures, window, () =>
      marketFigures(state, options.rankedPools(window), options.pricing()),
    )
  const orderTokens = ({ window, sort, order }: Pick<ExploreQuery, 'window' | 'sort' | 'order'>) =>
    madeOnce(knownNow().orders, `${window}/${sort}/${order}`, () => {
      const tokens = [...state.tokens.values()]
      const { tokens: figures } = figuresIn(window)
      const sortTokens = createRankOrder((token: TokenView) => getRank(token, figures.get(token.id), sort))
      const { ascending, descending } = sortTokens(tokens)
      const places = order === 'asc' ? ascending : descending()
      return [...places].map((place) => tokens[place]?.id ?? '')
    })

  return {
    exploreTokens({ search, spelling = INTERNAL_SPELLING, limit, offset, ...ordering }): Page<TokenRow> {
      const ids = orderTokens(ordering)
      const wanted = search?.toLowerCase()
      const matching = wanted ? ids.filter((id) => matches(state.tokens.get(id), wanted, spelling)) : ids
      const figures = figuresIn(ordering.window).tokens
      const rows = matching.slice(offset, offset + limit).flatMap((id) => {
        const [token, found] = [state.tokens.get(id), figures.get(id)]
        return token && found ? [buildRow(token, found)] : []
      })
      return { rows, total: matching.length }
    },
    exploreStats(window) {
      const { tvlUsd, volumeUsd } = figuresIn(window)
      return {
        block: state.head,
        pools: state.pools.size,
        tokens: state.tokens.size,
        swaps: countAppended(state.swaps),
        tvlUsd: dollarText(tvlUsd) ?? '',
        volumeUsd: dollarText(volumeUsd) ?? '',
      }
    },
  }
}

/** Unknown figures are last in both directions; equal ones keep the older token first: createRankOrder. */
function getRank(token: TokenView, figures: TokenFigures | undefined, sort: ExploreSort): bigint | null {
  return sort === 'createdAt' ? BigInt(token.createdAtMs) : (figures?.[sort] ?? null)
}

function buildRow(token: TokenView, figures: TokenFigures): TokenRow {
  const { pools, locked, volume } = figures
  return {
    token,
    pools,
    locked,
    volume,
    priceUsd: dollarPriceText(figures.priceUsd),
    priceChangePct: percentText(figures.priceChangePct),
    tvlUsd: dollarText(figures.tvlUsd),
    volumeUsd: dollarText(figures.volumeUsd),
  }
}

/** By the start of an id only, as pools by that of a key. */
function matches(token: TokenView | undefined, wanted: string, { tokenId, address }: Spelling): boolean {
  if (!token) return false
  const { id, symbol, name } = token
  return (
    tokenId.encode(id).toLowerCase().startsWith(wanted) ||
    [symbol, name, address.encode(token.address)].some((text) => text.toLowerCase().includes(wanted))
  )
}

function madeOnce<Name, Value>(made: Map<Name, Value>, name: Name, make: () => Value): Value {
  const value = made.get(name) ?? make()
  made.set(name, value)
  return value
}

/**
 * A token across all its pools. Dollars are scaled by SCALE, percent by 10^PERCENT_DECIMALS; null if the token has no
 * price.
 */
type TokenFigures = {
  pools: number
  /** Amount in all pools, in base units, and its value. */
  locked: bigint
  tvlUsd: bigint | null
  /** Amount traded in the window, in both directions, and its value at the current price. */
  volume: bigint
  volumeUsd: bigint | null
  priceUsd: bigint | null
  priceChangePct: bigint | null
}

type MarketFigures = {
  tokens: ReadonlyMap<string, TokenFigures>
  /** Sums over all pools with a known figure. */
  tvlUsd: bigint
  volumeUsd: bigint
}

/** The whole market in a window that ends with the last indexed block. */
function marketFigures(state: IndexState, pools: readonly RankedPool[], pricing: Pricing): MarketFigures {
  const sums = new Map([...state.tokens.keys()].map((id) => [id, { pools: 0, locked: 0n, volume: 0n }]))
  let [tvlUsd, volumeUsd] = [0n, 0n]
  for (const { slot, figures, ranks } of pools) {
    const { token0, token1, balance0, balance1 } = slot.pool
    addTo(sums.get(token0.id), balance0, figures.volume0)
    addTo(sums.get(token1.id), balance1, figures.volume1)
    tvlUsd += ranks.tvlUsd ?? 0n
    volumeUsd += ranks.volumeUsd ?? 0n
  }
  const before = pricesBefore(state, pricing, ({ sequence }) => pools[sequence]?.figures.priceBeforeX96)
  const tokens = new Map<string, TokenFigures>()
  for (const [id, sum] of sums) tokens.set(id, valued(state, id, sum, { pricing, before }))
  return { tokens, tvlUsd, volumeUsd }
}

type Sum = { pools: number; locked: bigint; volume: bigint }

function addTo(sum: Sum | undefined, locked: bigint, volume: bigint): void {
  if (!sum) return
  sum.pools++
  sum.locked += locked
  sum.volume += volume
}

/**
 * Price at the start of the window of each token that has a price now, through the same pools. A pool without trades
 * since then has kept its price.
 */
function pricesBefore(
  { stableTokenId }: IndexState,
  { sources }: Pricing,
  priceBeforeX96: (pool: IndexedPool) => bigint | null | undefined,
): ReadonlyMap<string, bigint> {
  const prices = new Map([[stableTokenId, SCALE]])
  for (const [tokenId, source] of sources) {
    const { pool, pricedId } = source
    const pricedUsd = prices.get(pricedId) ?? 0n // it comes before
    prices.set(tokenId, priceThrough(source, priceBeforeX96(pool) ?? pool.amm.sqrtPriceX96, pricedUsd))
  }
  return prices
}

function valued(
  state: IndexState,
  tokenId: string,
  sum: Sum,
  { pricing, before }: { pricing: Pricing; before: ReadonlyMap<string, bigint> },
): TokenFigures {
  const token = state.tokens.get(tokenId)
  const priceUsd = pricing.prices.get(tokenId)
  if (!token || priceUsd === undefined)
    return { ...sum, tvlUsd: null, volumeUsd: null, priceUsd: null, priceChangePct: null }
  const from = before.get(tokenId) ?? 0n
  return {
    ...sum,
    tvlUsd: dollars(sum.locked, priceUsd, token),
    volumeUsd: dollars(sum.volume, priceUsd, token),
    priceUsd,
    // 0: less than a price can show.
    priceChangePct: from === 0n ? null : ((priceUsd - from) * 100n * powerOf10(PERCENT_DECIMALS)) / from,
  }
}
