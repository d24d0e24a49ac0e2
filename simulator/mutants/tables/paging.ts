import { between, only, query, unknown } from '../conditions.ts'
import type { Condition, Deviation, DeviationTable } from '../deviation.ts'
import { edit, editAt, editRows, emptyPage, error, type Fields, rest, rewrite, rows } from '../reactions.ts'

const EXPLORE = 'GET /explore/pools'
const POOLS = 'GET /pools'
const POOL = 'GET /pools/:key'
const SWAPS = 'GET /swaps'

export const PAGING_MUTANTS = {
  'paging-101-served': {
    breaks: '/explore/pools accepts limit=101',
    rules: ['paging.limit.rejects-101'],
    deviates: { limits: { explorePageSize: 101 } },
  },
  'paging-order-ignored': {
    breaks: '/explore/pools always sorts in descending order',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => ['asc', 'desc', null].includes(query.get('order'))),
      request: rewrite((query) => query.set('order', 'desc')),
    }),
  },
  'paging-search-ignored': {
    breaks: '/explore/pools ignores the search',
    rules: [
      'paging.explore.search',
      'paging.explore.search-symbol',
      'paging.explore.search-name',
      'paging.explore.search-address',
    ],
    deviates: rest(EXPLORE, {
      when: query('search'),
      request: rewrite((query) => query.delete('search')),
    }),
  },
  'paging-swaps-101-served': {
    breaks: '/swaps returns 101 rows',
    rules: ['paging.swaps.at-most-100'],
    deviates: { limits: { swapsPageSize: 101 } },
  },
  'paging-pools-row-lost': {
    breaks: 'each page of /pools except the first omits its first row',
    rules: ['paging.pools.complete'],
    deviates: laterPages(POOLS),
  },
  'paging-explore-row-lost': {
    breaks: 'each page of /explore/pools except the first omits its first row',
    rules: ['paging.explore.complete'],
    deviates: laterPages(EXPLORE),
  },
  'paging-1-refused': {
    breaks: '/explore/pools rejects limit=1',
    rules: ['paging.limit.accepts-1'],
    deviates: rest(EXPLORE, { when: query('limit', '1'), reply: error(400) }),
  },
  'paging-100-refused': {
    breaks: '/explore/pools rejects limit=100',
    rules: ['paging.limit.accepts-100'],
    deviates: rest(EXPLORE, { when: query('limit', '100'), reply: error(400) }),
  },
  'paging-0-served': {
    breaks: '/explore/pools accepts limit=0',
    rules: ['paging.limit.rejects-0'],
    deviates: serving(query('limit', '0')),
  },
  'paging-loose-numbers': {
    breaks: '/explore/pools accepts numbers with a plus sign, white space or an exponent',
    rules: ['paging.limit.canonical'],
    deviates: serving(only(({ query }) => ['limit', 'offset'].some((name) => isLoose(query.get(name))))),
  },
  'paging-total-text': {
    breaks: 'the total of /swaps is a JSON string',
    rules: ['paging.pagination.fields'],
    deviates: rest(SWAPS, {
      reply: edit((body) => {
        const pagination = body.pagination as Fields // as: bodies of the stub
        pagination.total = String(pagination.total)
      }),
    }),
  },
  'paging-keys-change': {
    breaks: 'the last pool of each page of /pools has another key each time, all of which read it',
    rules: ['paging.key.identical'],
    deviates: changingKeys(),
  },
  'paging-key-turned': {
    breaks: '/pools/{key} returns the tokens of the pool in reverse order',
    rules: ['paging.key.round-trip'],
    deviates: rest(POOL, {
      reply: editAt('data', (pool) => Object.assign(pool, { token0: pool.token1, token1: pool.token0 })),
    }),
  },
  'paging-many-served': {
    breaks: '/explore/pools accepts limit=many as a number',
    rules: ['paging.limit.rejects-text'],
    deviates: serving(query('limit', 'many')),
  },
  'paging-negative-served': {
    breaks: '/explore/pools accepts limits of -2 and below',
    rules: ['paging.limit.rejects-negative'],
    deviates: serving(only(({ query }) => Number(query.get('limit')) < -1)),
  },
  'paging-start-served': {
    breaks: '/explore/pools accepts offset=start as a number',
    rules: ['paging.offset.rejects-text'],
    deviates: serving(query('offset', 'start')),
  },
  'paging-any-window': {
    breaks: '/explore/pools accepts any window',
    rules: ['paging.explore.rejects-window'],
    deviates: serving(unknown('window', ['1h', '1d', '1w', '1m'])),
  },
  'paging-any-order': {
    breaks: '/explore/pools accepts any order',
    rules: ['paging.explore.rejects-order'],
    deviates: serving(unknown('order', ['asc', 'desc'])),
  },
  'paging-no-month': {
    breaks: '/explore/pools rejects the window of a month',
    rules: ['paging.explore.window-accepted'],
    deviates: rest(EXPLORE, { when: query('window', '1m'), reply: error(400) }),
  },
  'paging-search-no-symbols': {
    breaks: 'search omits matches by symbol',
    rules: ['paging.explore.search-symbol'],
    deviates: searching((row, text) => listTexts(row, 'Symbol').includes(text)),
  },
  'paging-search-no-names': {
    breaks: 'search omits matches by name',
    rules: ['paging.explore.search-name'],
    deviates: searching((row, text) => listTexts(row, 'Name').includes(text)),
  },
  'paging-search-no-addresses': {
    breaks: 'search omits matches by address',
    rules: ['paging.explore.search-address'],
    deviates: searching((row, text) => {
      const shown = [...listTexts(row, 'Symbol'), ...listTexts(row, 'Name'), String(row.key).toLowerCase()]
      return !shown.some((part) => part.includes(text))
    }),
  },
  'paging-swaps-2-for-1': {
    breaks: 'a page of /swaps has at least two rows',
    rules: ['paging.swaps.accepts-1'],
    deviates: rest(SWAPS, { when: query('limit', '1'), reply: rows((page) => [...page, ...page]) }),
  },
  'paging-swaps-101-for-100': {
    breaks: 'a page of 100 swaps has one row more',
    rules: ['paging.swaps.accepts-100'],
    sometimes: ['paging.swaps.complete'],
    deviates: rest(SWAPS, {
      when: query('limit', '100'),
      reply: rows((page) => [...page, ...page].slice(0, 101)),
    }),
  },
  'paging-swaps-unfiltered': {
    breaks: '/swaps does not filter by pool',
    rules: ['paging.swaps.filter'],
    deviates: rest(SWAPS, {
      request: rewrite((query, { profile }) => query.delete(profile.swapsPoolFilter)),
    }),
  },
  'paging-swaps-first-hop': {
    breaks: '/swaps filters by the first pool of a route only',
    rules: ['paging.swaps.filter-any-hop'],
    deviates: rest(SWAPS, {
      when: query(({ profile }) => profile.swapsPoolFilter),
      reply: rows((page, { query, choices: { profile } }) =>
        page.filter(({ pool }) => pool === query.get(profile.swapsPoolFilter)),
      ),
    }),
  },
  'paging-pools-starts-over': {
    breaks: '/pools starts over past its end',
    rules: ['paging.pools.ends'],
    deviates: rest(POOLS, {
      when: only(({ query, request }) => {
        const { total } = request.views.pools({ limit: 0, offset: 0 })
        return Number(query.get('offset')) > total
      }),
      request: rewrite((query) => query.set('offset', '0')),
    }),
  },
  'paging-key-one-token': {
    breaks: '/pools/{key} returns the same token twice',
    rules: ['paging.key.round-trip', 'paging.explore.key-reads'],
    deviates: rest(POOL, { reply: editAt('data', (pool) => Object.assign(pool, { token1: pool.token0 })) }),
  },
} as const satisfies DeviationTable

export const SWAP_MUTANTS = {
  'swaps-claimed-early': {
    breaks: 'a swap is shown as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest(SWAPS, {
      reply: editRows((swap) => {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }),
    }),
  },
} as const satisfies DeviationTable

function laterPages(route: string): Deviation {
  return rest(route, { when: between('offset', 1), reply: rows((page) => page.slice(1)) })
}

/** Appends the number of the request to listed keys; the rest of a key reads the pool. */
function changingKeys(): Deviation {
  const ending = /~[0-9]+$/
  return {
    rest: [
      {
        routes: () => [POOLS],
        reply: rows((page, { request: { id } }) => {
          const last = page.at(-1)
          if (last) last.key = `${last.key}~${Number.parseInt(id.slice(1), 36)}`
          return page
        }),
      },
      {
        routes: () => [POOL],
        request: ({ request }) => {
          const params = request.params as { key: string } // as: parameters of the route
          params.key = params.key.replace(ending, '')
        },
        reply: editAt('data', (pool, { request: { originalUrl } }) => {
          const [end = ''] = ending.exec(originalUrl) ?? []
          pool.key = `${pool.key}${end}`
        }),
      },
    ],
  }
}

/** Removes some rows from a page of search results. */
function searching(isLeftOut: (row: Fields, text: string) => boolean): Deviation {
  return rest(EXPLORE, {
    when: query('search'),
    reply: rows((page, { query }) => {
      const text = query.get('search')?.toLowerCase()
      return text ? page.filter((row) => !isLeftOut(row, text)) : page
    }),
  })
}

function listTexts(row: Fields, field: 'Symbol' | 'Name'): string[] {
  return [row[`token0${field}`], row[`token1${field}`]].map((text) => String(text).toLowerCase())
}

/** Returns an empty page instead of 400. */
function serving(when: Condition): Deviation {
  return rest(EXPLORE, {
    of: [400],
    when,
    reply: emptyPage(26),
  })
}

/** True for a number with a plus sign, an exponent or white space around it. */
function isLoose(text: string | null): boolean {
  return text !== null && /^[+\s]*[0-9]+(e[0-9]+)?\s*$/.test(text) && !/^[0-9]+$/.test(text)
}
