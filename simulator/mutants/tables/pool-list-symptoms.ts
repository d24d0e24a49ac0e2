import { all, between, by, every, from, isFoundBy, only, query } from '../conditions.ts'
import type {
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
  RestDeviation,
  Sent,
} from '../deviation.ts'
import { edit, editRows, emptyPage, error, type Fields, rest, rewrite, rows, text } from '../reactions.ts'

const POOLS = 'GET /pools'
const POOL = 'GET /pools/:key'
/** Past the end of any list of a stub, and nowhere else. */
const BEYOND = between('offset', 1000)
const isLaterPage = between('offset', 1)

export const POOL_LIST_SYMPTOMS = {
  'paging-pools-row-repeated': {
    breaks: 'later pages of /pools start with the last row of the previous page',
    rules: ['paging.pools.complete', 'paging.pagination.fields'],
    deviates: rest(POOLS, {
      when: isLaterPage,
      request: rewrite((query) => query.set('offset', String(Number(query.get('offset')) - 1))),
    }),
  },
  'paging-pools-total-of-page': walked('the total of /pools is the number of rows on the page', {
    reply: edit((body) =>
      Object.assign(body.pagination as Fields, { total: (body.data as Fields[]).length }),
    ), // as: the stub's body
  }),
  'paging-pools-offset-ignored': {
    breaks: '/pools ignores its offset',
    rules: ['paging.pools.complete', 'paging.pools.ends', 'paging.pagination.fields'],
    deviates: rest(POOLS, { when: isLaterPage, request: rewrite((query) => query.set('offset', '0')) }),
  },
  'paging-pools-end-500': ended('returns 500', { reply: error(500) }),
  'paging-pools-total-high': walked('the total of /pools counts one pool too many', {
    reply: totaled(({ total }) => Number(total) + 1),
  }),
  'paging-pools-end-modulo': ended('is one near the beginning: offsets wrap around at 256', {
    request: rewrite((query) => query.set('offset', String(Number(query.get('offset')) % 256))),
  }),
  'paging-keys-two-forms': {
    breaks: 'the key of the third pool of /pools alternates between two forms, both of which read it',
    rules: ['paging.key.identical'],
    deviates: keyed((key) => `${key}~`, { when: every(2) }),
  },
  'paging-keys-exchanged': {
    breaks: 'every second response of /pools swaps the keys of its second and third pool',
    rules: ['paging.key.identical', 'paging.key.round-trip'],
    deviates: rest(POOLS, {
      when: every(2),
      reply: edit(({ data }) => {
        const [, second, third] = data as Fields[] // as: the stub's rows
        if (second && third) [second.key, third.key] = [third.key, second.key]
      }),
    }),
  },
} as const satisfies DeviationTable

type Deviates = Omit<RestDeviation, 'routes'>

function walked(breaks: string, deviates: Deviates) {
  return { breaks, rules: ['paging.pools.complete'], deviates: rest(POOLS, deviates) }
}

function ended(how: string, deviates: Deviates) {
  return {
    breaks: `a page of /pools far past its end ${how}`,
    rules: ['paging.pools.ends'],
    deviates: rest(POOLS, { when: BEYOND, ...deviates }),
  }
}

function totaled(total: (pagination: Fields) => number) {
  return edit(({ pagination }) => Object.assign(pagination as Fields, { total: total(pagination as Fields) })) // as: the stub's body
}

/** Another key of the third pool of a page, which /pools/{key} accepts and returns. */
function keyed(
  change: (key: string, response: DeviationResponse) => string,
  deviates: Deviates = {},
): Deviation {
  const list = rest(POOLS, {
    ...deviates,
    reply: editRows((row, number, response) => {
      if (number === 2) row.key = change(String(row.key), response)
    }),
  })
  const read = rest(POOL, {
    request: ({ request }: DeviationRequest) => {
      const params = request.params as { key: string } // as: parameters of the route
      params.key = params.key.replace(/~[0-9]*$/, '')
    },
    reply: text((body, { request }) => {
      const requested = decodeURIComponent(
        new URL(request.originalUrl, 'http://localhost').pathname.slice('/pools/'.length),
      )
      const parsed = JSON.parse(body)
      parsed.data.key = requested
      return JSON.stringify(parsed)
    }),
  })
  return { rest: [...(list.rest ?? []), ...(read.rest ?? [])] }
}

const EXPLORE = 'GET /explore/pools'
const KEYS = ['key']
const SYMBOLS = ['token0Symbol', 'token1Symbol']
const NAMES = ['token0Name', 'token1Name']
const ADDRESSES: readonly string[] = []

type Reaction = (response: DeviationResponse) => Sent
const nothing = rows(() => [])

export const SEARCH_SYMPTOMS = {
  'paging-search-key-404': searched('search', KEYS, 'key returns 404', error(404)),
  'paging-search-key-500': searched('search', KEYS, 'key returns 500', error(500)),
  'paging-search-key-later': {
    breaks: 'a search by key finds nothing from the second one on',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, { when: all(only(isFoundBy(KEYS)), from(2)), reply: nothing }),
  },
  'paging-search-key-none': searched('search', KEYS, 'key finds nothing', nothing),
  'paging-search-symbol-500': searched('search-symbol', SYMBOLS, 'symbol returns 500', error(500)),
  'paging-search-name-of-one-word': {
    breaks: 'a search by a name with several words finds nothing',
    rules: ['paging.explore.search-name'],
    deviates: rest(EXPLORE, {
      when: all(
        only(isFoundBy(NAMES)),
        only(({ query }) => /\s/.test(query.get('search') ?? '')),
      ),
      reply: nothing,
    }),
  },
  'paging-search-address-404': searched('search-address', ADDRESSES, 'address returns 404', error(404)),
  'paging-order-ends-exchanged': {
    breaks: 'the first and last rows of a page of /explore/pools in ascending order are swapped',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: query('order', 'asc'),
      reply: rows((page) => (page.length < 2 ? page : [page.at(-1), ...page.slice(1, -1), page[0]])),
    }),
  },
  'paging-week-500': {
    breaks: '/explore/pools returns 500 for the window of a week',
    rules: ['paging.explore.window-accepted'],
    deviates: rest(EXPLORE, { when: query('window', '1w'), reply: error(500) }),
  },
} as const satisfies DeviationTable

function searched(rule: string, fields: readonly string[], how: string, reply: Reaction) {
  return {
    breaks: `a search by ${how}`,
    rules: [`paging.explore.${rule}`],
    deviates: rest(EXPLORE, { when: only(isFoundBy(fields)), reply }),
  }
}

const SWAPS = 'GET /swaps'

export const SWAP_PAGE_SYMPTOMS = {
  'paging-swaps-1-500': sized('1', 'returns 500', 'accepts-1', { reply: error(500) }),
  'paging-swaps-1-404': sized('1', 'returns 404', 'accepts-1', { reply: error(404) }),
  'paging-swaps-1-refused-to-tokens': {
    breaks: 'limit=1 of /swaps returns 400 to API tokens',
    rules: ['paging.swaps.accepts-1'],
    deviates: rest(SWAPS, { when: all(query('limit', '1'), by('api-token')), reply: error(400) }),
  },
  'paging-swaps-1-default': sized('1', 'returns a page of the default size', 'accepts-1', {
    request: rewrite((query) => query.delete('limit')),
  }),
  'paging-swaps-100-refused-to-sessions': {
    breaks: 'limit=100 of /swaps returns 400 to sessions',
    rules: ['paging.swaps.accepts-100'],
    deviates: rest(SWAPS, { when: all(query('limit', '100'), by('session')), reply: error(400) }),
  },
  'paging-swaps-negative-empty': sized('-10', 'returns an empty page', 'at-least-1', {
    of: [200, 400],
    reply: emptyPage(9),
  }),
  'paging-swaps-filter-dropped-later': filtered('is ignored from the second request on', ['filter'], {
    when: from(2),
    request: rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter)),
  }),
  'paging-swaps-filter-dropped-on-later-pages': filtered('is ignored on later pages', ['filter'], {
    when: only(({ query }) => Number(query.get('offset') ?? 0) > 0),
    request: rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter)),
  }),
  'paging-swaps-filter-500': filtered('returns 500', ['filter', 'filter-any-hop'], { reply: error(500) }),
  'paging-swaps-filter-404': filtered('returns 404', ['filter', 'filter-any-hop'], { reply: error(404) }),
  'paging-swaps-filter-inverted': filtered(
    'finds the swaps of all other pools',
    ['filter', 'filter-any-hop'],
    {
      request: rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter)),
      reply: rows((page, response) =>
        page.filter((row) => !listPools(row).includes(requestedPool(response))),
      ),
    },
  ),
  'paging-swaps-filter-stranger': filtered('adds the swap of another pool to each page', ['filter'], {
    reply: rows((page) => [...page.slice(0, -1), ...page.slice(-1).map(elsewhere)]),
  }),
  'paging-swaps-filter-not-last-hop': {
    ...filtered('finds no swap whose last hop is the pool', ['filter-any-hop'], {
      reply: rows((page, response) =>
        page.filter((row) => !isMultiHop(row) || listPools(row).at(-1) !== requestedPool(response)),
      ),
    }),
    // A client that advances by the rows received may get the same page again.
    sometimes: ['paging.swaps.filter'],
  },
} as const satisfies DeviationTable

function sized(limit: string, how: string, rule: string, deviates: Deviates) {
  return {
    breaks: `limit=${limit} of /swaps ${how}`,
    rules: [`paging.swaps.${rule}`],
    deviates: rest(SWAPS, { when: query('limit', limit), ...deviates }),
  }
}

function filtered(how: string, rules: readonly string[], deviates: Deviates) {
  const isFiltered = query(({ profile }) => profile.swapsPoolFilter)
  return {
    breaks: `the pool filter of /swaps ${how}`,
    rules: rules.map((rule) => `paging.swaps.${rule}`),
    deviates: rest(SWAPS, {
      ...deviates,
      when: deviates.when ? all(isFiltered, deviates.when) : isFiltered,
    }),
  }
}

function requestedPool({ query, choices }: DeviationRequest): string {
  return query.get(choices.profile.swapsPoolFilter) ?? ''
}

function listPools(row: Fields): string[] {
  return (row.hops as Fields[]).map(({ pool }) => String(pool)) // as: the stub's record
}

function isMultiHop(row: Fields): boolean {
  return listPools(row).length > 1
}

function elsewhere(row: Fields): Fields {
  const hops = (row.hops as Fields[]).map((hop) => ({ ...hop, pool: 'elsewhere' })) // as: the stub's record
  return { ...row, pool: 'elsewhere', hops }
}
