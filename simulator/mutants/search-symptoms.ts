import { all, every, only, query } from '../deviations/conditions.ts'
import type { Answer, RestDeviation, Sent } from '../deviations/deviation.ts'
import { editRows, error, type Fields, hang, rest, rewrite, rows } from '../deviations/reactions.ts'
import { isFoundBy } from './found-by.ts'
import type { DeviationTable } from './mutant-table.ts'

const EXPLORE = 'GET /explore/pools'
const SYMBOLS = ['token0Symbol', 'token1Symbol']
const NAMES = ['token0Name', 'token1Name']
const ADDRESSES: readonly string[] = []
const KEYS = ['key']

type Reaction = (answer: Answer) => Sent
const nothing = rows(() => [])

/** Other ways to break the search of /explore/pools, its order and its windows. */
export const SEARCH_SYMPTOMS = {
  'paging-search-key-none': searched('search', KEYS, 'key finds nothing', nothing),
  'paging-search-key-silent': searched('search', KEYS, 'key never responds', hang),
  'paging-search-key-other-row': searched(
    'search',
    KEYS,
    'key finds a row with a longer key',
    editRows((row) => Object.assign(row, { key: `${row.key}0` })),
  ),
  'paging-search-symbol-404': searched('search-symbol', SYMBOLS, 'symbol returns 404', error(404)),
  'paging-search-symbol-500': searched('search-symbol', SYMBOLS, 'symbol returns 500', error(500)),
  'paging-search-symbol-other-rows': searched(
    'search-symbol',
    SYMBOLS,
    'symbol finds the pools of other symbols',
    editRows((row) => Object.assign(row, { token0Symbol: 'OTHER', token1Symbol: 'ANOTHER' })),
  ),
  'paging-search-name-400': searched('search-name', NAMES, 'name returns 400', error(400)),
  'paging-search-name-500': searched('search-name', NAMES, 'name returns 500', error(500)),
  'paging-search-name-of-one-word': {
    breaks: 'a search by a name of several words finds nothing',
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
  'paging-search-address-500': searched('search-address', ADDRESSES, 'address returns 500', error(500)),
  'paging-search-address-silent': searched('search-address', ADDRESSES, 'address never responds', hang),
  'paging-order-desc-as-asc': {
    breaks: '/explore/pools takes desc for asc',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, {
      when: query('order', 'desc'),
      ask: rewrite((asked) => asked.set('order', 'asc')),
    }),
  },
  'paging-order-ends-exchanged': {
    breaks: 'the first and the last row of a page of /explore/pools in rising order are exchanged',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, { when: query('order', 'asc'), reply: rows(endsExchanged) }),
  },
  'paging-order-asc-500': {
    breaks: '/explore/pools returns 500 for the rising order',
    rules: ['paging.explore.order', 'paging.explore.complete'],
    deviates: rest(EXPLORE, { when: query('order', 'asc'), reply: error(500) }),
  },
  'paging-week-500': windowed('1w', 'returns 500 for the window of a week', { reply: error(500) }),
  'paging-day-silent': windowed('1d', 'never responds for the window of a day', { reply: hang }),
  'paging-month-every-other-400': windowed('1m', 'refuses every second request for the window of a month', {
    when: all(query('window', '1m'), every(2)),
    reply: error(400),
  }),
  'paging-week-422': windowed('1w', 'returns 422 for the window of a week', { reply: error(422) }),
} as const satisfies DeviationTable

function searched(rule: string, fields: readonly string[], how: string, reply: Reaction) {
  return {
    breaks: `a search by ${how}`,
    rules: [`paging.explore.${rule}`],
    deviates: rest(EXPLORE, { when: only(isFoundBy(fields)), reply }),
  }
}

function windowed(window: string, how: string, deviates: Omit<RestDeviation, 'routes'>) {
  return {
    breaks: `/explore/pools ${how}`,
    rules: ['paging.explore.window-accepted'],
    deviates: rest(EXPLORE, { when: query('window', window), ...deviates }),
  }
}

function endsExchanged(page: readonly Fields[]): unknown[] {
  if (page.length < 2) return [...page]
  return [page.at(-1), ...page.slice(1, -1), page[0]]
}
