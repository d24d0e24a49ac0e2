import { serverRules } from '../rule.ts'

export const PAGING_RULES = serverRules([
  [
    'paging.limit.accepts-1',
    'Limits',
    'The smallest page of /explore/pools is 1.',
    'limit=1 answers 200 with at most 1 row',
  ],
  [
    'paging.limit.accepts-100',
    'Limits',
    'The largest page of /explore/pools is 100.',
    'limit=100 answers 200 with at most 100 rows',
  ],
  ['paging.limit.rejects-0', 'Limits', 'A page of /explore/pools below 1 is refused.', 'limit=0 answers 400'],
  [
    'paging.limit.rejects-101',
    'Limits',
    'A page of /explore/pools above 100 is refused.',
    'limit=101 answers 400',
  ],
  [
    'paging.limit.canonical',
    'Wire conventions',
    'Spellings of limit and offset that are not canonical are refused.',
    'each spelling that the profile names answers 400',
  ],
  [
    'paging.swaps.at-most-100',
    'Limits',
    'A page of /swaps holds at most 100 rows.',
    'limit=101 is refused, or answers at most 100 rows',
  ],
  [
    'paging.pagination.fields',
    'Resources: pagination',
    'A paginated body carries total, limit and offset as integers.',
    'the pages of /pools, /explore/pools and /swaps carry them',
  ],
  [
    'paging.pools.complete',
    'Public pool endpoints',
    'A client that pages /pools to its end gets every pool.',
    'a walk to the empty page receives as many rows as total says',
  ],
  [
    'paging.explore.complete',
    'GET /explore/pools',
    'Paging under a stable sort gives every row once and in order.',
    'no row lost, repeated or out of order',
  ],
  [
    'paging.explore.order',
    'GET /explore/pools',
    '`order` turns the list: asc rises, desc falls.',
    'both orders agree with the sort field',
  ],
  [
    'paging.explore.search',
    'GET /explore/pools',
    '`search` matches symbol, name, token address or pool key.',
    'searching for the key of a pool finds that pool',
  ],
  [
    'paging.key.identical',
    'Public pool endpoints',
    'The key of a pool is identical across requests.',
    'two reads of /pools give the same pools the same keys',
  ],
  [
    'paging.key.round-trip',
    'Public pool endpoints',
    'A key from the list, exactly as given, reads that pool.',
    '/pools/{key} answers 200 with the same key and tokens',
  ],
])
