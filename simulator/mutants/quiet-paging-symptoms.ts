/** Mutants of lists and pools that are wrong only for some page sizes, sort fields or pools, or only at the second read. */
import { between } from './conditions.ts'
import type { RestDeviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { rest, rows } from './reactions.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'

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
} as const satisfies DeviationTable

function sized(route: string, rule: string, how: string, deviates: Omit<RestDeviation, 'routes'>) {
  return {
    breaks: `${route.slice('GET '.length)}: ${how}`,
    rules: [`paging.${rule}`],
    deviates: rest(route, deviates),
  }
}
