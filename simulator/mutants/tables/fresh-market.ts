/** Breaks of swaps, searches, pools and routes that an audit of the probes found, and endpoints that reject a session. */
import { valueAt } from '../../demo-client.ts'
import type { RequestContext } from '../../exchange/pipeline.ts'
import { all, between, by, only, query } from '../conditions.ts'
import type { Deviation, DeviationRequest, DeviationTable, RestDeviation } from '../deviation.ts'
import { edit, editAt, editRows, error, type Fields, rest, rewrite, setAt } from '../reactions.ts'
import { hopsAreMany } from './route-symptoms.ts'
import { isSuccess, remembering } from './sequence-table.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const ROUTE = 'GET /route'
const BY_AGE = { window: '1d', sort: 'createdAt', order: 'asc' } as const
const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

export const FRESH_MARKET_SYMPTOMS = {
  'auth-session-fee-tiers-403': {
    breaks: '/fee-tiers returns 403 to a session, and serves API tokens',
    rules: ['auth.verify.signs-in'],
    deviates: rest('GET /fee-tiers', { when: by('session'), reply: error(403) }),
  },
  'auth-session-positions-401': {
    breaks: 'the positions of a wallet return 401 to a session, and are served to API tokens',
    rules: ['auth.verify.signs-in'],
    deviates: rest(({ profile }) => `GET ${profile.positionsPath}`, {
      when: by('session'),
      reply: error(401),
    }),
  },
  'paging-swaps-filter-total-of-all': {
    breaks: 'the total of filtered /swaps counts the swaps of all pools',
    rules: ['paging.swaps.filter'],
    deviates: rest(SWAPS, {
      when: query(({ profile }) => profile.swapsPoolFilter),
      reply: edit((body, { request: { views, credential } }) => {
        const viewer = typeof credential === 'string' ? null : credential.address
        const { total } = views.swaps({ viewer, limit: 0, offset: 0 })
        Object.assign(body.pagination as Fields, { total }) // as: the stub's body
      }),
    }),
  },
  'paging-swaps-filter-not-first-hop': {
    breaks: 'the pool filter of /swaps finds no swap with several hops whose first hop is the pool',
    rules: ['paging.swaps.filter-any-hop'],
    deviates: rest(
      SWAPS,
      seen(({ swaps }) => ({
        swaps(query) {
          const { pool, limit, offset } = query
          if (pool === undefined) return swaps(query)
          const found = swaps({ ...query, limit: Number.MAX_SAFE_INTEGER, offset: 0 }).rows.filter(
            ({ hops }) => hops.length === 1 || hops[0]?.pool !== pool,
          )
          return { rows: found.slice(offset, offset + limit), total: found.length }
        },
      })),
    ),
  },
  'paging-swaps-filter-unknown-dropped': {
    breaks: 'the pool filter of /swaps is ignored if there is no such pool',
    rules: ['paging.swaps.filter'],
    deviates: rest(SWAPS, {
      when: all(
        query(({ profile }) => profile.swapsPoolFilter),
        only(({ query, choices: { profile, wire }, request: { views } }) => {
          const key = wire.poolKey.decode(query.get(profile.swapsPoolFilter) ?? '')
          return views.pool(key ?? '') === undefined
        }),
      ),
      request: rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter)),
    }),
  },
  'paging-search-none-dropped': {
    breaks: 'a search that finds no pool returns every pool',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, {
      when: only(findsNothing),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'paging-search-dropped-with-window': {
    breaks: '/explore/pools ignores the search if there is a window',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, {
      when: all(query('search'), query('window')),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'paging-order-tvl-as-text': {
    breaks: '/explore/pools compares tvlUsd as text',
    rules: ['paging.explore.order'],
    deviates: rest(EXPLORE, {
      when: only(({ query, choices }) => choices.explorePools.sorts[query.get('sort') ?? ''] === 'tvlUsd'),
      ...seen(({ exploreOrder }) => ({
        exploreOrder(query) {
          const { rows, places } = exploreOrder({ ...query, order: 'asc' })
          const text = (place: number) => String(rows[place]?.tvlUsd)
          const isKnown = (place: number) => rows[place]?.tvlUsd !== null
          const sorted = [...places.filter(isKnown)].sort((one, other) => compareText(text(one), text(other)))
          const placed = query.order === 'asc' ? sorted : sorted.reverse()
          // Pools with an unknown value stay last, as in the order of the numbers.
          return { rows, places: Int32Array.from([...placed, ...places.filter((place) => !isKnown(place))]) }
        },
      })),
    }),
  },
  'paging-key-enabled-negated': {
    breaks: '/pools/{key} shows enabled pools as disabled, and disabled ones as enabled',
    rules: ['paging.key.round-trip', 'paging.explore.key-reads'],
    deviates: rest('GET /pools/:key', {
      reply: editAt('data', (pool) => Object.assign(pool, { enabled: pool.enabled !== true })),
    }),
  },
  'wire-change-nan': {
    breaks: 'priceChangePct is NaN in every fifth row of /explore/pools',
    rules: ['wire.explore-pools.record'],
    deviates: rest(EXPLORE, {
      reply: editRows((row, number) => {
        if (number % 5 === 4) row.priceChangePct = 'NaN'
      }),
    }),
  },
  'route-hop-elsewhere': {
    breaks: 'the last hop of a route with several hops names a pool that does not trade the output token',
    rules: ['route.hops.exact-ids'],
    deviates: rest(ROUTE, {
      when: only(hopsAreMany),
      reply: edit((body, { query, request: { views }, choices: { profile, wire } }) => {
        const tokenOut = wire.tokenId.decode(query.get('token_out') ?? '')
        const elsewhere = views
          .pools({ limit: 100, offset: 0 })
          .rows.find(({ token0, token1 }) => token0.id !== tokenOut && token1.id !== tokenOut)
        const last = listHops(body, profile.route.hops).at(-1)
        if (last && elsewhere) setAt(last, profile.route.hop.pool, wire.poolKey.encode(elsewhere.key))
      }),
    }),
  },
  'paging-key-trades-of-another': {
    breaks: 'the trades of all pools are cached under one key, from the first three on',
    rules: ['paging.key.round-trip'],
    deviates: cachedTrades(),
  },
  'paging-search-within-page': {
    breaks: '/explore/pools cuts its list into pages before it searches them',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, {
      when: query('search'),
      request: rewrite((query) => query.delete('search')),
      reply: edit((body, { query, choices: { wire }, request: { views } }) => {
        const search = { search: query.get('search') ?? '', spelling: wire }
        const found = views.explorePools({ ...BY_AGE, ...search, ...ALL })
        const keys = found.rows.map(({ pool: { key } }) => wire.poolKey.encode(key))
        body.data = (body.data as Fields[]).filter(({ key }) => keys.includes(String(key))) // as: the stub's body
        Object.assign(body.pagination as Fields, { total: found.total }) // as: the stub's body
      }),
    }),
  },
  'paging-search-total-of-token0': {
    breaks: 'the total of a search of /explore/pools counts only pools whose first token matches',
    rules: ['paging.explore.search-symbol', 'paging.explore.search-name', 'paging.explore.search-address'],
    deviates: rest(
      EXPLORE,
      seen(({ explorePools }) => ({
        explorePools(query) {
          const { search, spelling } = query
          const page = explorePools(query)
          if (!search || !spelling) return page
          const wanted = search.toLowerCase()
          const counted = explorePools({ ...query, ...ALL }).rows.filter(({ pool: { key, token0 } }) =>
            [
              spelling.poolKey.encode(key),
              token0.symbol,
              token0.name,
              spelling.address.encode(token0.address),
            ].some((text) => text.toLowerCase().includes(wanted)),
          )
          return { ...page, total: counted.length }
        },
      })),
    ),
  },
  'paging-swaps-filter-total-first-hop': {
    breaks: 'the total of filtered /swaps counts only swaps whose first hop is the pool',
    rules: ['paging.swaps.filter'],
    deviates: rest(SWAPS, {
      when: query(({ profile }) => profile.swapsPoolFilter),
      reply: edit((body, { query, choices: { profile, wire }, request: { views, credential } }) => {
        const viewer = typeof credential === 'string' ? null : credential.address
        const pool = wire.poolKey.decode(query.get(profile.swapsPoolFilter) ?? '') ?? ''
        const { rows } = views.swaps({ viewer, pool, ...ALL })
        const total = rows.filter(({ hops }) => hops[0]?.pool === pool).length
        Object.assign(body.pagination as Fields, { total }) // as: the stub's body
      }),
    }),
  },
  'route-amount-int128-500': {
    breaks: '/route returns 500 for amounts that need more than 128 bits',
    rules: ['route.none.404'],
    deviates: rest(ROUTE, {
      of: [200, 400, 404],
      when: only(({ query }) => /^[0-9]{40,}$/.test(query.get('amount_in') ?? '')),
      reply: error(500),
    }),
  },
  'paging-search-dropped-later': {
    breaks: '/explore/pools ignores the search if the offset is not 0',
    rules: ['paging.explore.search-address'],
    // Not all worlds have a symbol or a name of several pools.
    sometimes: ['paging.explore.search-symbol', 'paging.explore.search-name'],
    deviates: rest(EXPLORE, {
      when: all(query('search'), between('offset', 1)),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'paging-explore-fee-units': {
    breaks: 'feePercent is in hundredths of a percent in some rows of /explore/pools',
    rules: ['paging.explore.key-reads'],
    deviates: rest(EXPLORE, {
      reply: editRows((row) => {
        const sum = [...String(row.key)].reduce((total, letter) => total + letter.charCodeAt(0), 0)
        if (sum % 2 === 0) row.feePercent = String(Number(row.feePercent) * 100)
      }),
    }),
  },
  'wire-valuation-ends-early': {
    breaks: 'the valuation of /explore/pools is valid until a minute before it was published',
    rules: ['wire.explore-pools.valuation'],
    deviates: rest(EXPLORE, {
      reply: edit((body) =>
        Object.assign(body, { valuation: { publishTime: 1_735_787_045, validUntil: 1_735_786_985 } }),
      ),
    }),
  },
  'paging-key-longer': {
    breaks: '/pools/{key} ignores a letter after the key of a pool',
    rules: ['paging.key.round-trip'],
    deviates: rest('GET /pools/:key', {
      request: ({ request, choices: { wire } }) => {
        const params = request.params as { key: string } // as: parameters of the route
        const isPool = (key: string) => request.views.pool(wire.poolKey.decode(key) ?? '') !== undefined
        const shorter = params.key.slice(0, -1)
        if (!isPool(params.key) && isPool(shorter)) params.key = shorter
      },
    }),
  },
} as const satisfies DeviationTable

function cachedTrades(): Deviation {
  return remembering('GET /pools/:key/trades', () => {
    let cached: string | undefined
    return (incoming) => {
      if (!isSuccess(incoming)) return undefined
      const trades = incoming.body?.data
      if (cached === undefined && Array.isArray(trades) && trades.length >= 3)
        cached = JSON.stringify(incoming.body)
      const text = cached
      return text === undefined ? undefined : () => ({ text })
    }
  })
}

type Views = RequestContext['views']

/** The request reads other data than those of the world. */
export function seen(change: (views: Views) => Partial<Views>): Omit<RestDeviation, 'routes'> {
  return {
    request: ({ request }) => {
      request.views = { ...request.views, ...change(request.views) }
    },
  }
}

function findsNothing({ query, choices, request: { views } }: DeviationRequest): boolean {
  const search = query.get('search')
  if (!search) return false
  return views.explorePools({ ...BY_AGE, search, spelling: choices.wire, limit: 1, offset: 0 }).total === 0
}

/** By code units, as databases compare text without a collation. */
function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function listHops(body: Fields, path: string): Fields[] {
  return valueAt(body, path) as Fields[] // as: the stub's body, which has hops
}
