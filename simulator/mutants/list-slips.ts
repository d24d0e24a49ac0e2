/** Slips of the queries behind lists: one parameter is lost next to another, or an unusual value fails. */
import { all, only, query } from './conditions.ts'
import type { Condition, Deviation, DeviationTable } from './deviation.ts'
import { edit, error, type Fields, rest, rewrite } from './reactions.ts'

const EXPLORE = 'GET /explore/pools'
const POOLS = 'GET /pools'
const SWAPS = 'GET /swaps'

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
