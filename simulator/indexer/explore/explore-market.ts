import { countAppended } from '../history/history-log.ts'
import type { IndexState } from '../index-state.ts'
import { dollarPriceText, dollarText, percentText } from '../pools/pool-figures.ts'
import type { Pricing } from '../pools/valuation.ts'
import type { ExploreQuery, ExploreSort, MetricWindow, TokenRow } from '../views/explore-views.ts'
import type { TokenView } from '../views/market-views.ts'
import type { Page, Views } from '../views/views.ts'
import type { Explore } from './explore.ts'
import { type MarketFigures, marketFigures, type TokenFigures } from './market-figures.ts'
import { createRankOrder } from './rank-order.ts'

/** What was worked out about one block; blocks are told apart by their hash. */
type Known = {
  hash: string
  figures: Map<MetricWindow, MarketFigures>
  /** By window, sort and order. */
  orders: Map<string, readonly string[]>
}

/** Tokens with their figures, and the totals of the market: worked out once a block and window, when somebody asks. */
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
  const orderOf = ({ window, sort, order }: Pick<ExploreQuery, 'window' | 'sort' | 'order'>) =>
    madeOnce(knownNow().orders, `${window}/${sort}/${order}`, () => {
      const tokens = [...state.tokens.values()]
      const { tokens: figures } = figuresIn(window)
      const { ascending, descending } = createRankOrder()(
        tokens.map((token) => rankOf(token, figures.get(token.id), sort)),
      )
      const places = order === 'asc' ? ascending : descending()
      return [...places].map((place) => tokens[place]?.id ?? '')
    })

  return {
    exploreTokens({ search, limit, offset, ...ordering }): Page<TokenRow> {
      const ids = orderOf(ordering)
      const wanted = search?.toLowerCase()
      const matching = wanted ? ids.filter((id) => matches(state.tokens.get(id), wanted)) : ids
      const figures = figuresIn(ordering.window).tokens
      const rows = matching.slice(offset, offset + limit).flatMap((id) => {
        const [token, found] = [state.tokens.get(id), figures.get(id)]
        return token && found ? [rowOf(token, found)] : []
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

/** What is known last either way, the older token first where two are equal: createRankOrder. */
function rankOf(token: TokenView, figures: TokenFigures | undefined, sort: ExploreSort): bigint | null {
  return sort === 'createdAt' ? BigInt(token.createdAtMs) : (figures?.[sort] ?? null)
}

function rowOf(token: TokenView, figures: TokenFigures): TokenRow {
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

function matches(token: TokenView | undefined, wanted: string): boolean {
  if (!token) return false
  return [token.symbol, token.name, token.address, token.id].some((text) =>
    text.toLowerCase().includes(wanted),
  )
}

function madeOnce<Name, Value>(made: Map<Name, Value>, name: Name, make: () => Value): Value {
  const value = made.get(name) ?? make()
  made.set(name, value)
  return value
}
