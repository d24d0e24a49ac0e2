import { all, from, only, query } from './conditions.ts'
import type { DeviationResponse, Sent } from './deviation.ts'
import { type DeviationTable, isFoundBy } from './mutant-table.ts'
import { error, rest, rows } from './reactions.ts'

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
