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
  'paging-explore-row-lost': {
    breaks: 'each page of /explore/pools but the first leaves out its first row',
    rules: ['paging.explore.complete'],
  },
  'paging-1-refused': { breaks: '/explore/pools refuses limit=1', rules: ['paging.limit.accepts-1'] },
  'paging-100-refused': { breaks: '/explore/pools refuses limit=100', rules: ['paging.limit.accepts-100'] },
  'paging-0-served': { breaks: '/explore/pools serves limit=0', rules: ['paging.limit.rejects-0'] },
  'paging-loose-numbers': {
    breaks: '/explore/pools takes numbers with a plus sign or white space',
    rules: ['paging.limit.canonical'],
  },
  'paging-total-text': {
    breaks: 'the total of /swaps is a JSON string',
    rules: ['paging.pagination.fields'],
  },
  'paging-keys-change': {
    breaks: 'the last pool on each page of /pools has another key each time, all of which read it',
    rules: ['paging.key.identical'],
  },
  'paging-key-turned': {
    breaks: '/pools/{key} answers with the tokens of the pool turned',
    rules: ['paging.key.round-trip'],
  },
  'paging-many-served': {
    breaks: '/explore/pools takes limit=many for a number',
    rules: ['paging.limit.rejects-text'],
  },
  'paging-negative-served': {
    breaks: '/explore/pools serves limits of -2 and below',
    rules: ['paging.limit.rejects-negative'],
  },
  'paging-start-served': {
    breaks: '/explore/pools takes offset=start for a number',
    rules: ['paging.offset.rejects-text'],
  },
  'paging-any-window': {
    breaks: '/explore/pools takes any window',
    rules: ['paging.explore.rejects-window'],
  },
  'paging-any-order': { breaks: '/explore/pools takes any order', rules: ['paging.explore.rejects-order'] },
  'paging-no-month': {
    breaks: '/explore/pools refuses the window of a month',
    rules: ['paging.explore.window-accepted'],
  },
  'paging-search-no-symbols': {
    breaks: 'search leaves out what matches by symbol',
    rules: ['paging.explore.search-symbol'],
  },
  'paging-search-no-names': {
    breaks: 'search leaves out what matches by name',
    rules: ['paging.explore.search-name'],
  },
  'paging-search-no-addresses': {
    breaks: 'search leaves out what matches by address',
    rules: ['paging.explore.search-address'],
  },
  'paging-swaps-2-for-1': {
    breaks: 'a page of /swaps has two rows at least',
    rules: ['paging.swaps.accepts-1'],
  },
  'paging-swaps-101-for-100': {
    breaks: 'a page of 100 swaps has one more',
    rules: ['paging.swaps.accepts-100'],
  },
  'paging-swaps-unfiltered': {
    breaks: '/swaps does not filter by pool',
    rules: ['paging.swaps.filter'],
  },
  'paging-swaps-first-hop': {
    breaks: '/swaps filters by the first pool of a route alone',
    rules: ['paging.swaps.filter-any-hop'],
  },
  'paging-pools-starts-over': {
    breaks: '/pools begins again beyond its end',
    rules: ['paging.pools.ends'],
  },
  'paging-key-one-token': {
    breaks: '/pools/{key} answers with the same token twice',
    rules: ['paging.key.round-trip', 'paging.explore.key-reads'],
  },
} as const satisfies MutantTable
