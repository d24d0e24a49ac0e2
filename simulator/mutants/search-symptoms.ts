import { all, from, only } from '../deviations/conditions.ts'
import type { Answer, Sent } from '../deviations/deviation.ts'
import { error, rest, rows } from '../deviations/reactions.ts'
import { isFoundBy } from './found-by.ts'
import type { DeviationTable } from './mutant-table.ts'

const EXPLORE = 'GET /explore/pools'
const KEYS = ['key']

type Reaction = (answer: Answer) => Sent
const nothing = rows(() => [])

/** Other ways to break the search of /explore/pools, its order and its windows. */
export const SEARCH_SYMPTOMS = {
  'paging-search-key-404': searched('search', KEYS, 'key returns 404', error(404)),
  'paging-search-key-500': searched('search', KEYS, 'key returns 500', error(500)),
  'paging-search-key-later': {
    breaks: 'a search by key finds nothing from the second one on',
    rules: ['paging.explore.search'],
    deviates: rest(EXPLORE, { when: all(only(isFoundBy(KEYS)), from(2)), reply: nothing }),
  },
  'paging-search-key-none': searched('search', KEYS, 'key finds nothing', nothing),
} as const satisfies DeviationTable

function searched(rule: string, fields: readonly string[], how: string, reply: Reaction) {
  return {
    breaks: `a search by ${how}`,
    rules: [`paging.explore.${rule}`],
    deviates: rest(EXPLORE, { when: only(isFoundBy(fields)), reply }),
  }
}
