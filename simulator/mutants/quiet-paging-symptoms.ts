/** Mutants of lists and pools that are wrong only for some page sizes, sort fields or pools, or only at the second read. */
import { all, between, only, query } from './conditions.ts'
import type { Condition, DeviationTable, RestDeviation } from './deviation.ts'
import { edit, error, type Fields, rest, rewrite, rows } from './reactions.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const POOL = 'GET /pools/:key'

/** Second successful response of each URL. */
const secondTime: Condition = () => {
  const counts = new Map<string, number>()
  return ({ request: { originalUrl } }) => {
    const count = (counts.get(originalUrl) ?? 0) + 1
    counts.set(originalUrl, count)
    return count === 2
  }
}

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
} as const satisfies DeviationTable

function sized(route: string, rule: string, how: string, deviates: Omit<RestDeviation, 'routes'>) {
  return {
    breaks: `${route.slice('GET '.length)}: ${how}`,
    rules: [`paging.${rule}`],
    deviates: rest(route, deviates),
  }
}
