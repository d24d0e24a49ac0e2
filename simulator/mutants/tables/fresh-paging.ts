/** Breaks of pages and their parameters that an audit of the probes found: each shows only for parameters that few clients send. */

import type { Choices } from '../../choices/choices.ts'
import { all, between, only, query } from '../conditions.ts'
import type { Condition, DeviationTable, RestDeviation } from '../deviation.ts'
import { edit, error, type Fields, rest, rewrite, rows } from '../reactions.ts'

const EXPLORE = 'GET /explore/pools'
const POOLS = 'GET /pools'
const SWAPS = 'GET /swaps'

export const FRESH_PAGING_SYMPTOMS = {
  'paging-explore-offset-rounded': {
    breaks: '/explore/pools rounds the offset down to a multiple of the limit',
    rules: ['paging.explore.complete', 'paging.pagination.fields'],
    deviates: rest(
      EXPLORE,
      rounded(() => 100),
    ),
  },
  'paging-pools-offset-rounded': {
    breaks: '/pools rounds the offset down to a multiple of the limit',
    rules: ['paging.pools.complete', 'paging.pagination.fields'],
    deviates: rest(
      POOLS,
      rounded(({ paging }) => paging.limitMaxElsewhere),
    ),
  },
  'paging-pools-limit-ignored': {
    breaks: '/pools ignores its limit',
    rules: ['paging.pools.complete'],
    deviates: rest(POOLS, { request: rewrite((query) => query.delete('limit')) }),
  },
  'paging-pools-one-more': {
    breaks: 'a page of /pools has one row more than its limit',
    rules: ['paging.pools.complete'],
    deviates: rest(POOLS, {
      when: only(({ query, choices }) => isCount(query.get('limit'), choices.paging.limitMaxElsewhere - 1)),
      request: rewrite((query) => query.set('limit', String(Number(query.get('limit')) + 1))),
    }),
  },
  // The first pages of other sizes are served, as are those of the default order.
  'paging-explore-later-500': {
    breaks: 'a page of sorted /explore/pools with an offset of 7 and more returns 500',
    rules: ['paging.explore.complete'],
    deviates: rest(EXPLORE, { when: all(query('sort'), between('offset', 7)), reply: error(500) }),
  },
  'paging-swaps-deep-404': {
    breaks: 'a page of /swaps that starts among the last twentieth of the swaps returns 404',
    rules: ['paging.swaps.complete'],
    deviates: rest(SWAPS, {
      when: only(({ query, body, choices: { profile } }) => {
        const { total } = (body?.pagination ?? {}) as Fields // as: the stub's body
        const offset = Number(query.get('offset') ?? 0)
        return !query.has(profile.swapsPoolFilter) && offset > Number(total) * 0.95
      }),
      reply: error(404),
    }),
  },
  'paging-swaps-offset-shown-0': {
    breaks: 'the offset in the pagination of /swaps is always 0',
    rules: ['paging.pagination.fields'],
    deviates: rest(
      SWAPS,
      shown(() => ({ offset: 0 })),
    ),
  },
  'paging-explore-limit-shown-default': {
    breaks: 'the limit in the pagination of /explore/pools is always the default',
    rules: ['paging.pagination.fields'],
    deviates: rest(
      EXPLORE,
      shown(({ paging }) => ({ limit: paging.limitDefault })),
    ),
  },
  'paging-order-asc-400': {
    breaks: '/explore/pools rejects order=asc',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, { when: query('order', 'asc'), reply: error(400, 'invalid order') }),
  },
  'paging-order-desc-within-page': {
    breaks: '/explore/pools cuts pages in ascending order and reverses each for order=desc',
    rules: ['paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: query('order', 'desc'),
      request: rewrite((query) => query.set('order', 'asc')),
      reply: rows((page) => page.toReversed()),
    }),
  },
  'paging-limit-wrapped': {
    breaks: '/explore/pools reads the last 32 bits of a limit',
    rules: ['paging.limit.rejects-101'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => /^[1-9][0-9]{9,}$/.test(query.get('limit') ?? '')),
      request: rewrite((query) => {
        query.set('limit', String(BigInt.asUintN(32, BigInt(query.get('limit') ?? ''))))
      }),
    }),
  },
  'paging-window-of-any-length': {
    breaks: '/explore/pools accepts a window of several hours, days, weeks or months',
    rules: ['paging.explore.rejects-window'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => /^[1-9][0-9]*(h|d|w|m)$/.test(query.get('window') ?? '')),
      request: rewrite((query) => query.set('window', `1${query.get('window')?.at(-1)}`)),
    }),
  },
  'paging-order-spelled-out': {
    breaks: '/explore/pools accepts ascending and descending as an order',
    rules: ['paging.explore.rejects-order'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => ['ascending', 'descending'].includes(query.get('order') ?? '')),
      request: rewrite((query) => query.set('order', String(query.get('order')).replace('ending', ''))),
    }),
  },
} as const satisfies DeviationTable

type Deviates = Omit<RestDeviation, 'routes'>

/** Whole pages only. Leaves invalid limits and offsets to the route. */
function rounded(limitMax: (choices: Choices) => number): Deviates {
  return {
    when: all(
      only(({ query }) => isCount(query.get('limit') ?? '1', Number.MAX_SAFE_INTEGER)),
      between('offset', 1),
    ),
    request: rewrite((query, choices) => {
      const limit = Math.min(Number(query.get('limit') ?? choices.paging.limitDefault), limitMax(choices))
      const offset = Number(query.get('offset'))
      query.set('offset', String(offset - (offset % limit)))
    }),
  }
}

/** Another `pagination` than that of the page. */
function shown(wrong: (choices: Choices) => Fields): Deviates {
  return {
    reply: edit((body, { choices }) => Object.assign(body.pagination as Fields, wrong(choices))), // as: the stub's body
  }
}

/** True for a canonical integer from 1 to `max`. */
function isCount(text: string | null, max: number): boolean {
  return text !== null && /^[1-9][0-9]*$/.test(text) && Number(text) <= max
}

const POOL = 'GET /pools/:key'

const WINDOWS: Readonly<Record<string, string>> = { '24h': '1d', '7d': '1w', '30d': '1m' }

/** Second successful response of each URL. */
const secondTime: Condition = () => {
  const counts = new Map<string, number>()
  return ({ request: { originalUrl } }) => {
    const count = (counts.get(originalUrl) ?? 0) + 1
    counts.set(originalUrl, count)
    return count === 2
  }
}

/** Mutants of lists and pools that are wrong only for some page sizes, sort fields or pools, or only at the second read. */
export const QUIET_PAGING_SYMPTOMS = {
  'paging-few-one-more': sized(EXPLORE, 'limit.accepts-1', 'limits of 2 to 5 return one row too many', {
    when: between('limit', 2, 5),
    reply: rows((page) => [...page, ...page.slice(-1)]),
  }),
  'paging-swaps-few-one-more': sized(SWAPS, 'swaps.accepts-1', 'limits of 2 to 5 return one row too many', {
    when: between('limit', 2, 5),
    reply: rows((page) => [...page, ...page.slice(-1)]),
  }),
  'paging-100-capped': sized(EXPLORE, 'limit.accepts-100', 'pages end after 20 rows', {
    reply: rows((page) => page.slice(0, 20)),
  }),
  'paging-swaps-100-capped': sized(SWAPS, 'swaps.accepts-100', 'pages end after 50 rows', {
    reply: rows((page) => page.slice(0, 50)),
  }),
  'paging-pools-total-so-far': {
    breaks: 'the total of /pools is the number of rows up to the end of the page',
    rules: ['paging.pools.complete'],
    deviates: rest('GET /pools', {
      reply: edit(({ data, pagination }) => {
        const page = pagination as Fields // as: the stub's body
        page.total = Number(page.offset) + (data as Fields[]).length
      }),
    }),
  },
  'paging-key-second-404': {
    breaks: '/pools/{key} returns 404 the second time that a pool is read',
    rules: ['paging.key.round-trip'],
    deviates: rest(POOL, { when: secondTime, reply: error(404) }),
  },
  'paging-order-asc-ignored-once': {
    breaks: '/explore/pools ignores order=asc under a sort whose figures change',
    rules: ['paging.explore.order'],
    deviates: rest(EXPLORE, {
      when: all(
        query('order', 'asc'),
        only(
          ({ query, choices }) =>
            choices.profile.explorePools.sort[query.get('sort') ?? '']?.stable === false,
        ),
      ),
      request: rewrite((query) => query.set('order', 'desc')),
    }),
  },
  'paging-pools-row-doubled': {
    breaks: 'a page of /pools has its second row twice, and omits its last',
    rules: ['paging.pools.complete'],
    deviates: rest(POOLS, {
      reply: rows((page) => (page.length < 3 ? page : [...page.slice(0, 2), ...page.slice(1, -1)])),
    }),
  },
  'paging-window-in-days': {
    breaks: '/explore/pools accepts 24h, 7d and 30d as a window',
    rules: ['paging.explore.rejects-window'],
    deviates: rest(EXPLORE, {
      when: only(({ query }) => (query.get('window') ?? '') in WINDOWS),
      request: rewrite((query) => query.set('window', WINDOWS[query.get('window') ?? ''] ?? '')),
    }),
  },
  'paging-offset-int64-500': {
    breaks: 'a list returns 500 if its offset and its limit together exceed 64 bits',
    rules: ['paging.pools.ends', 'paging.explore.complete', 'paging.swaps.complete'],
    deviates: rest([POOLS, EXPLORE, SWAPS], {
      of: [200, 400],
      when: between('offset', 2 ** 63),
      reply: error(500),
    }),
  },
} as const satisfies DeviationTable

function sized(route: string, rule: string, how: string, deviates: Omit<RestDeviation, 'routes'>) {
  return {
    breaks: `${route.slice('GET '.length)}: ${how}`,
    rules: [`paging.${rule}`],
    deviates: rest(route, deviates),
  }
}
