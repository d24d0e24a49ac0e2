/** Slips of the queries behind lists: one parameter is lost next to another, or an unusual value fails. */

import { all, between, by, only, query } from '../conditions.ts'
import type { Condition, Deviation, DeviationTable, RestDeviation } from '../deviation.ts'
import { edit, editRows, error, type Fields, rest, rewrite } from '../reactions.ts'
import { byOwnToken } from './api-token.ts'
import { seen } from './fresh-market.ts'

const EXPLORE = 'GET /explore/pools'
const POOLS = 'GET /pools'
const SWAPS = 'GET /swaps'

/** Newest trades whose users may own positions. */
const TRADES_READ = 1000

const owedToAll = seen(({ unclaimed, trades }) => ({
  unclaimed(query) {
    const users = trades({ limit: TRADES_READ, offset: 0 }).rows.flatMap(({ user }) => user ?? [])
    const others = [...new Set(users)].filter((address) => address !== query.address)
    const own = unclaimed(query)
    const foreign = others.flatMap((address) => unclaimed({ address, viewer: address }).positionsWithOwed)
    return { ...own, positionsWithOwed: [...own.positionsWithOwed, ...foreign] }
  },
}))

const swapsOfViewer = seen(({ swaps }) => ({
  swaps({ limit, offset, ...query }) {
    const { total } = swaps({ ...query, limit: 0, offset: 0 })
    const { rows } = swaps({ ...query, limit: total, offset: 0 })
    const own = rows.filter(({ user, recipient }) => [user, recipient].includes(query.viewer ?? ''))
    return { rows: own.slice(offset, offset + limit), total: own.length }
  },
}))

const filtered = query(({ profile }) => profile.swapsPoolFilter)

export const LIST_SLIP_SYMPTOMS = {
  'list-filter-offset-ignored': {
    breaks: '/swaps ignores the offset next to its pool filter',
    rules: ['paging.swaps.filter'],
    deviates: quietly(SWAPS, 'offset', '0', filtered),
  },
  'list-filter-limit-ignored': {
    breaks: '/swaps ignores the limit next to its pool filter',
    rules: ['paging.swaps.accepts-1'],
    deviates: quietly(SWAPS, 'limit', '100', filtered),
  },
  'list-sort-limit-ignored': {
    breaks: '/explore/pools ignores the limit next to a sort',
    rules: ['paging.limit.accepts-1'],
    deviates: quietly(EXPLORE, 'limit', '100', query('sort')),
  },
  'list-search-limit-ignored': {
    breaks: '/explore/pools ignores the limit next to a search',
    rules: ['paging.limit.accepts-1'],
    deviates: quietly(EXPLORE, 'limit', '100', query('search')),
  },
  'list-search-offset-ignored': {
    breaks: '/explore/pools ignores the offset next to a search',
    rules: ['paging.explore.complete'],
    deviates: quietly(EXPLORE, 'offset', '0', query('search')),
  },
  'list-search-with-sort-ignored': {
    breaks: '/explore/pools ignores a search next to a sort',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, {
      when: all(query('search'), query('sort')),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'list-swaps-limit-0-500': failing(SWAPS, 'limit=0', 'swaps.at-least-1', query('limit', '0')),
  'list-swaps-limit-negative-500': failing(
    SWAPS,
    'a negative limit',
    'swaps.at-least-1',
    only(({ query }) => Number(query.get('limit')) < 0),
  ),
  'list-swaps-limit-101-500': failing(SWAPS, 'limit=101', 'swaps.at-most-100', query('limit', '101')),
  'list-pools-limit-text-500': failing(POOLS, 'limit=many', 'pools.ends', query('limit', 'many')),
  'list-pools-offset-text-500': failing(POOLS, 'offset=start', 'pools.ends', query('offset', 'start')),
  'list-sort-unknown-500': {
    breaks: '/explore/pools returns 500 to an unknown sort',
    rules: ['paging.explore.rejects-order'],
    deviates: rest(EXPLORE, {
      of: [400],
      when: only(({ query, choices }) => {
        const sort = query.get('sort')
        return sort !== null && !(sort in choices.explorePools.sorts)
      }),
      reply: error(500),
    }),
  },
  'list-window-unanchored': {
    breaks: '/explore/pools accepts a text that contains a window',
    rules: ['paging.explore.rejects-window'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => /1(h|d|w|m)/.test(query.get('window') ?? '')),
      request: rewrite((query) => {
        const [window = ''] = /1(h|d|w|m)/.exec(query.get('window') ?? '') ?? []
        query.set('window', window)
      }),
    }),
  },
  'list-minimum-as-text': {
    breaks: '/protocol/state compares minimum_revision with the current revision as text',
    rules: ['protocol.minimum.older'],
    deviates: rest('GET /protocol/state', {
      when: only(({ query, request }) => {
        const minimum = query.get('minimum_revision')
        return minimum !== null && minimum > String(request.views.protocolState().revision)
      }),
      reply: ({ reply }) => {
        reply.code(503).header('retry-after', '1')
        return { text: JSON.stringify({ error: 'not indexed yet', code: 'protocol_revision_pending' }) }
      },
    }),
  },
  'list-search-quote-500': failing(
    EXPLORE,
    'a search with an apostrophe',
    'explore.search',
    only(({ query }) => query.get('search')?.includes("'") === true),
  ),
  'list-search-escape-500': failing(
    EXPLORE,
    'a search that ends with a backslash',
    'explore.search',
    only(({ query }) => query.get('search')?.endsWith('\\') === true),
  ),
  'list-search-parenthesis-500': failing(
    EXPLORE,
    'a search that is no regular expression',
    'explore.search',
    only(({ query }) => query.get('search')?.includes('(') === true),
  ),
  'list-search-nul-500': failing(
    EXPLORE,
    'a search with U+0000',
    'explore.search',
    only(({ query }) => query.get('search')?.includes('\u0000') === true),
  ),
} as const satisfies DeviationTable

/** Another value of the parameter, while `pagination` shows the one of the request. */
function quietly(route: string, name: string, value: string, when: Condition): Deviation {
  return rest(route, {
    when: all(query(name), when),
    request: rewrite((query) => query.set(name, value)),
    reply: edit(
      (body, { query }) => Object.assign(body.pagination as Fields, { [name]: Number(query.get(name)) }), // as: the stub's body
    ),
  })
}

/** Replaces the page and the rejection alike. */
function failing(route: string, what: string, rule: string, when: Condition) {
  return {
    breaks: `${route.slice('GET '.length)} returns 500 to ${what}`,
    rules: [`paging.${rule}`],
    deviates: rest(route, { of: [200, 400], when, reply: error(500) }),
  }
}

const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
const INT32_MAX = 2 ** 31

/** Breaks of the rows of lists that show only for some rows, filters and searches, or when two lists are compared. */
export const LATER_LIST_SYMPTOMS = {
  'paging-swaps-filter-not-middle-hop': {
    breaks: 'the pool filter of /swaps matches only the first and the last pool of a route',
    rules: ['paging.swaps.filter-any-hop'],
    deviates: rest(
      SWAPS,
      seen(({ swaps }) => ({
        swaps(query) {
          const { pool, limit, offset } = query
          if (pool === undefined) return swaps(query)
          const found = swaps({ ...query, ...ALL }).rows.filter(({ hops }) =>
            [hops[0]?.pool, hops.at(-1)?.pool].includes(pool),
          )
          return { rows: found.slice(offset, offset + limit), total: found.length }
        },
      })),
    ),
  },
  'paging-explore-enabled-negated': {
    breaks: '/explore/pools shows enabled pools as disabled, and disabled ones as enabled',
    rules: ['paging.explore.key-reads'],
    deviates: rest(EXPLORE, {
      reply: editRows((row) => Object.assign(row, { enabled: row.enabled !== true })),
    }),
  },
  'paging-explore-exchanged-symbols': exchanged('symbols', ['token0Symbol', 'token1Symbol']),
  'paging-explore-exchanged-decimals': {
    ...exchanged('decimals', ['token0Decimals', 'token1Decimals']),
    sometimes: ['wire.token-info.record'],
  },
  'swaps-owed-positions-of-all': {
    breaks: 'positions_with_owed of /unclaimed has the positions of all wallets',
    rules: ['swaps.pending.own-only'],
    deviates: rest('GET /unclaimed', owedToAll),
  },
  'paging-explore-offset-int32': {
    breaks: 'an offset of /explore/pools beyond 32 bits returns 500',
    rules: ['paging.explore.complete'],
    deviates: beyondInt32(EXPLORE),
  },
  'paging-swaps-offset-int32': {
    breaks: 'an offset of /swaps beyond 32 bits returns 500',
    rules: ['paging.swaps.complete'],
    deviates: beyondInt32(SWAPS),
  },
  'paging-search-token0-only': {
    breaks: 'the search of /explore/pools matches the first token of a pool only',
    rules: ['paging.explore.search-symbol', 'paging.explore.search-name', 'paging.explore.search-address'],
    deviates: rest(
      EXPLORE,
      searching((token, isFirst) => (isFirst ? [token.symbol, token.name, token.address] : [])),
    ),
  },
  'paging-search-symbol-of-token0-only': {
    breaks: 'a search by symbol matches the first token of a pool only',
    rules: ['paging.explore.search-symbol'],
    deviates: rest(
      EXPLORE,
      searching((token, isFirst) => [...(isFirst ? [token.symbol] : []), token.name, token.address]),
    ),
  },
  'paging-search-symbol-unfiltered': {
    breaks: 'a search for the whole symbol of a token finds all pools',
    rules: ['paging.explore.search-symbol'],
    deviates: rest(EXPLORE, {
      when: only(({ query, request: { views } }) =>
        views
          .explorePools({ window: '1d', sort: 'createdAt', order: 'asc', ...ALL })
          .rows.flatMap(({ pool: { token0, token1 } }) => [token0.symbol, token1.symbol])
          .some((symbol) => symbol.toLowerCase() === query.get('search')?.toLowerCase()),
      ),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'api-token-owed-positions-of-all': {
    breaks: 'positions_with_owed of /unclaimed has the positions of all wallets for an API token',
    rules: ['api-token.covers.data'],
    deviates: rest('GET /unclaimed', { ...owedToAll, when: by('api-token') }),
  },
  'api-token-swaps-own-only': {
    breaks: '/swaps has only the swaps of its own wallet for an API token that has an expiry',
    rules: ['api-token.covers.data'],
    deviates: rest(SWAPS, { ...swapsOfViewer, when: byOwnToken }),
  },
} as const satisfies DeviationTable

/** Exchanges two fields in every third row. Rows with displayFlipped may show their tokens in another order. */
function exchanged(what: string, [field0, field1]: readonly [string, string]) {
  const exchange = (row: Fields, number: number) => {
    if (number % 3 === 0 && row.displayFlipped !== true)
      Object.assign(row, { [field0]: row[field1], [field1]: row[field0] })
  }
  return {
    breaks: `every third row of /explore/pools exchanges the ${what} of its tokens`,
    rules: ['wire.explore-pools.record'],
    deviates: rest(EXPLORE, { reply: editRows(exchange) }),
  }
}

function beyondInt32(route: string) {
  return rest(route, { of: [200, 400], when: between('offset', INT32_MAX), reply: error(500) })
}

type Token = { address: string; name: string; symbol: string }

/** Searches match the key of a pool and these texts of its tokens. */
function searching(
  listTexts: (token: Token, isFirst: boolean) => readonly string[],
): Omit<RestDeviation, 'routes'> {
  return seen(({ explorePools }) => ({
    explorePools(query) {
      const { search, limit, offset, spelling } = query
      if (!search || !spelling) return explorePools(query)
      const wanted = search.toLowerCase()
      const texts = (token: Token, isFirst: boolean) =>
        listTexts({ ...token, address: spelling.address.encode(token.address) }, isFirst)
      const { total } = explorePools({ ...query, limit: 0, offset: 0 })
      const found = explorePools({ ...query, limit: total, offset: 0 }).rows.filter(
        ({ pool: { key, token0, token1 } }) =>
          [spelling.poolKey.encode(key), ...texts(token0, true), ...texts(token1, false)].some((text) =>
            text.toLowerCase().includes(wanted),
          ),
      )
      return { rows: found.slice(offset, offset + limit), total: found.length }
    },
  }))
}
