import { all, between, from, isFoundBy, only, query, unknown } from '../conditions.ts'
import type { DeviationRequest, DeviationTable } from '../deviation.ts'
import { edit, editRows, error, type Fields, rest, rewrite, rows } from '../reactions.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'

export const PAGING_SYMPTOMS = {
  'paging-1-two-rows': {
    breaks: 'limit=1 of /explore/pools returns two rows',
    rules: ['paging.limit.accepts-1'],
    deviates: rest(EXPLORE, { when: query('limit', '1'), reply: rows((page) => [...page, ...page]) }),
  },
  'paging-1-404': {
    breaks: 'limit=1 of /explore/pools returns 404',
    rules: ['paging.limit.accepts-1'],
    deviates: rest(EXPLORE, { when: query('limit', '1'), reply: error(404) }),
  },
  'paging-100-404': {
    breaks: 'limit=100 of /explore/pools returns 404',
    rules: ['paging.limit.accepts-100'],
    deviates: rest(EXPLORE, { when: query('limit', '100'), reply: error(404) }),
  },
  'paging-100-more': {
    breaks: 'limit=100 of /explore/pools returns more than 100 rows',
    rules: ['paging.limit.accepts-100'],
    deviates: rest(EXPLORE, { when: query('limit', '100'), reply: rows((page) => filledTo(page, 120)) }),
  },
  'paging-0-422': refusedWith(422, 'limit=0', ['paging.limit.rejects-0'], query('limit', '0')),
  'paging-0-default': {
    breaks: '/explore/pools treats limit=0 as no limit',
    rules: ['paging.limit.rejects-0'],
    deviates: rest(EXPLORE, {
      when: query('limit', '0'),
      request: rewrite((query) => query.delete('limit')),
    }),
  },
  'paging-101-clamped': {
    breaks: '/explore/pools returns a page of 100 for limit=101',
    rules: ['paging.limit.rejects-101'],
    deviates: rest(EXPLORE, {
      when: query('limit', '101'),
      request: rewrite((query) => query.set('limit', '100')),
    }),
  },
  'paging-101-422': refusedWith(422, 'limit=101', ['paging.limit.rejects-101'], query('limit', '101')),
  'paging-1000-clamped': {
    breaks: '/explore/pools returns a page of 100 for limits of 1,000 and more',
    rules: ['paging.limit.rejects-101'],
    deviates: rest(EXPLORE, {
      when: between('limit', 1000),
      request: rewrite((query) => query.set('limit', '100')),
    }),
  },
  'paging-text-403': refusedWith(403, 'limit=many', ['paging.limit.rejects-text'], query('limit', 'many')),
  'paging-text-default': {
    breaks: '/explore/pools treats limit=many as no limit',
    rules: ['paging.limit.rejects-text'],
    deviates: rest(EXPLORE, {
      when: query('limit', 'many'),
      request: rewrite((query) => query.delete('limit')),
    }),
  },
  'paging-negative-422': refusedWith(
    422,
    'limits of -2 and below',
    ['paging.limit.rejects-negative'],
    only(isBelowMinusOne),
  ),
  'paging-negative-absolute': {
    breaks: '/explore/pools drops the sign of limits of -2 and below',
    rules: ['paging.limit.rejects-negative'],
    deviates: rest(EXPLORE, {
      when: only(isBelowMinusOne),
      request: rewrite((query) => query.set('limit', (query.get('limit') ?? '').slice(1))),
    }),
  },
  'paging-start-404': refusedWith(
    404,
    'offset=start',
    ['paging.offset.rejects-text'],
    query('offset', 'start'),
  ),
  'paging-start-as-0': {
    breaks: '/explore/pools reads offset=start as 0',
    rules: ['paging.offset.rejects-text'],
    deviates: rest(EXPLORE, {
      when: query('offset', 'start'),
      request: rewrite((query) => query.delete('offset')),
    }),
  },
  'paging-spelling-as-offset': {
    breaks: '/explore/pools accepts an offset spelling that the profile declares as rejected',
    rules: ['paging.limit.canonical'],
    deviates: rest(EXPLORE, {
      when: only(isRefused('offset')),
      request: rewrite((query) => query.delete('offset')),
    }),
  },
  'paging-spelling-last': {
    breaks: '/explore/pools accepts one limit spelling that the profile declares as rejected',
    rules: ['paging.limit.canonical'],
    deviates: rest(EXPLORE, {
      when: only(({ query, choices }) => query.get('limit') === choices.profile.explorePools.rejects[0]),
      request: rewrite((query) => query.delete('limit')),
    }),
  },
  'paging-swaps-100-404': {
    breaks: 'limit=100 of /swaps returns 404',
    rules: ['paging.swaps.accepts-100'],
    deviates: rest(SWAPS, { when: query('limit', '100'), reply: error(404) }),
  },
  'paging-swaps-1000-many': {
    breaks: 'limit=1000 of /swaps returns 150 rows',
    rules: ['paging.swaps.at-most-100'],
    deviates: widened('1000'),
  },
  'paging-explore-offset-text': pagination(EXPLORE, { offset: '0' }),
  'paging-pools-limit-missing': pagination('GET /pools', { limit: undefined }),
  'paging-swaps-total-fraction': {
    ...pagination(SWAPS, { total: 12.5 }),
    rules: ['paging.pagination.fields', 'paging.swaps.complete'],
    sometimes: ['paging.swaps.filter'],
  },
} as const satisfies DeviationTable

/** Repeats the first rows to reach this count. */
function filledTo(page: readonly Fields[], count: number): Fields[] {
  return page.length === 0 ? [] : Array.from({ length: count }, (_, index) => page[index % page.length] ?? {})
}

function refusedWith(status: number, what: string, rules: readonly string[], when: ReturnType<typeof only>) {
  return {
    breaks: `/explore/pools returns ${status} to ${what}`,
    rules,
    deviates: rest(EXPLORE, { of: [400], when, reply: error(status) }),
  }
}

function isBelowMinusOne({ query }: DeviationRequest): boolean {
  const limit = query.get('limit') ?? ''
  return /^-[1-9][0-9]*$/.test(limit) && Number(limit) < -1
}

function isRefused(name: string) {
  return ({ query, choices }: DeviationRequest) =>
    query.has(name) && choices.profile.explorePools.rejects.includes(query.get(name) ?? '')
}

function pagination(route: string, wrong: Fields) {
  const [[name, value] = ['', null]] = Object.entries(wrong)
  const how = value === undefined ? 'is missing' : `is ${JSON.stringify(value)}`
  return {
    breaks: `${name} of the pagination of ${route.slice('GET '.length)} ${how}`,
    rules: ['paging.pagination.fields'],
    deviates: rest(route, { reply: edit((body) => Object.assign(body.pagination as Fields, wrong)) }), // as: the stub's body
  }
}

/** More than 100 swaps for one limit above the maximum, whether or not that limit is rejected otherwise. */
function widened(limit: string) {
  const swaps = rest(SWAPS, {
    when: query('limit', limit),
    request: rewrite((query) => query.set('limit', '100')),
  })
  const more = rest(SWAPS, { when: query('limit', limit), reply: rows((page) => filledTo(page, 150)) })
  return { rest: [...(swaps.rest ?? []), ...(more.rest ?? [])] }
}

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
