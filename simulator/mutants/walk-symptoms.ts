import { all, from, only, query, unknown } from './conditions.ts'
import type { DeviationRequest } from './deviation.ts'
import { type DeviationTable, isFoundBy } from './mutant-table.ts'
import { editRows, error, rest, rewrite, rows } from './reactions.ts'

const EXPLORE = 'GET /explore/pools'
const POOLS = 'GET /pools'
const POOL = 'GET /pools/:key'

export const WALK_SYMPTOMS = {
  'paging-explore-later-pages-turned': {
    breaks: 'later pages of /explore/pools are in the opposite order',
    rules: ['paging.explore.complete'],
    deviates: rest(EXPLORE, { when: only(isLaterPage), reply: rows((page) => page.toReversed()) }),
  },
  'paging-order-asc-as-desc': {
    breaks: '/explore/pools treats asc as desc',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: query('order', 'asc'),
      request: rewrite((query) => query.set('order', 'desc')),
    }),
  },
  'paging-hour-404': {
    breaks: '/explore/pools returns 404 for the window of an hour',
    rules: ['paging.explore.window-accepted'],
    deviates: rest(EXPLORE, { when: query('window', '1h'), reply: error(404) }),
  },
  'paging-window-404': {
    breaks: '/explore/pools returns 404 for an unknown window',
    rules: ['paging.explore.rejects-window'],
    deviates: rest(EXPLORE, {
      of: [400],
      when: unknown('window', ['1h', '1d', '1w', '1m']),
      reply: error(404),
    }),
  },
  'paging-window-default': {
    breaks: '/explore/pools uses the default for an unknown window',
    rules: ['paging.explore.rejects-window'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => !['1h', '1d', '1w', '1m', null].includes(query.get('window'))),
      request: rewrite((query) => query.delete('window')),
    }),
  },
  'paging-order-422': {
    breaks: '/explore/pools returns 422 for an unknown order',
    rules: ['paging.explore.rejects-order'],
    deviates: rest(EXPLORE, { of: [400], when: unknown('order', ['asc', 'desc']), reply: error(422) }),
  },
  'paging-order-default': {
    breaks: '/explore/pools uses the default for an unknown order',
    rules: ['paging.explore.rejects-order'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => !['asc', 'desc', null].includes(query.get('order'))),
      request: rewrite((query) => query.delete('order')),
    }),
  },
  'paging-search-symbol-once': searchedOnce('symbol', 'paging.explore.search-symbol', [
    'token0Symbol',
    'token1Symbol',
  ]),
  'paging-search-name-once': searchedOnce('name', 'paging.explore.search-name', ['token0Name', 'token1Name']),
  'paging-search-address-once': searchedOnce('address', 'paging.explore.search-address', []),
  'paging-key-cut-in-list': {
    breaks: '/pools truncates the key of some pools',
    rules: ['paging.key.round-trip'],
    deviates: rest(POOLS, { reply: editRows(cutSomeKeys) }),
  },
  'paging-key-other-key': {
    breaks: '/pools/{key} returns another key from its second response on',
    rules: ['paging.key.round-trip', 'paging.explore.key-reads'],
    deviates: rest(POOL, {
      when: from(2),
      reply: editRows((row) => Object.assign(row, { key: `${row.key}0` })),
    }),
  },
  'paging-explore-key-cut': {
    breaks: '/explore/pools truncates the key of some pools',
    rules: ['paging.explore.key-reads'],
    deviates: rest(EXPLORE, { reply: editRows(cutSomeKeys) }),
  },
  'paging-explore-token-repeated': {
    breaks: 'every second row of /explore/pools has its first token twice',
    rules: ['paging.explore.key-reads'],
    deviates: rest(EXPLORE, {
      reply: editRows((row, number) => {
        if (number % 2 === 1) row.token1 = row.token0
      }),
    }),
  },
} as const satisfies DeviationTable

function isLaterPage({ query }: DeviationRequest): boolean {
  return Number(query.get('offset') ?? 0) > 0
}

/** Picks keys by pool, since a row may be at another position when it is read again. */
function cutSomeKeys(row: Record<string, unknown>): void {
  if (Number(String(row.key).charAt(1)) % 3 === 2) row.key = String(row.key).slice(0, -1)
}

/** Lets such a search find something only the first time. */
function searchedOnce(what: string, rule: string, fields: readonly string[]) {
  return {
    breaks: `/explore/pools finds nothing by ${what} from the second time on`,
    rules: [rule],
    deviates: rest(EXPLORE, { when: all(only(isFoundBy(fields)), from(2)), reply: rows(() => []) }),
  }
}
