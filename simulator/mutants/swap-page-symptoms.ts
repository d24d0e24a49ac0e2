import { all, by, from, only, query } from './conditions.ts'
import type { Condition, DeviationRequest, RestDeviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, type Fields, rest, rewrite, rows, success } from './reactions.ts'

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
    reply: success(() => ({ data: [], pagination: { total: 9, limit: -10, offset: 0 } })),
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
  'paging-swaps-filter-not-last-hop': filtered(
    'finds no swap whose last hop is the pool',
    ['filter-any-hop'],
    {
      reply: rows((page, response) =>
        page.filter((row) => !isMultiHop(row) || listPools(row).at(-1) !== requestedPool(response)),
      ),
    },
  ),
} as const satisfies DeviationTable

type Deviates = Omit<RestDeviation, 'routes' | 'when'>

function sized(limit: string, how: string, rule: string, deviates: Deviates) {
  return {
    breaks: `limit=${limit} of /swaps ${how}`,
    rules: [`paging.swaps.${rule}`],
    deviates: rest(SWAPS, { when: query('limit', limit), ...deviates }),
  }
}

function filtered(how: string, rules: readonly string[], deviates: Deviates & { when?: Condition }) {
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
