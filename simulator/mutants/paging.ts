import type { MutantTable } from './mutant-table.ts'

export const PAGING_MUTANTS = {
  'paging-101-served': { breaks: '/explore/pools serves limit=101', rules: ['paging.limit.rejects-101'] },
  'paging-order-ignored': {
    breaks: '/explore/pools is always in falling order',
    rules: ['paging.explore.order', 'paging.explore.complete'],
  },
  'paging-search-ignored': { breaks: '/explore/pools does not search', rules: ['paging.explore.search'] },
  'paging-swaps-101-served': { breaks: '/swaps serves 101 rows', rules: ['paging.swaps.at-most-100'] },
  'paging-pools-row-lost': {
    breaks: 'each page of /pools but the first leaves out its first row',
    rules: ['paging.pools.complete'],
  },
} as const satisfies MutantTable
