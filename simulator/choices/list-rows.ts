import type { ChoiceRow } from './choice-rows.ts'

const OPEN_SHAPE = 'Endpoints whose names are given but whose shape is open'

export const LIST_ROWS: readonly ChoiceRow[] = [
  { path: 'paging.limitDefault', what: '`limit` where none is given', section: 'GET /explore/pools' },
  {
    path: 'paging.limitMaxElsewhere',
    what: 'The longest page where none is stated',
    section: 'Public pool and token endpoints',
  },
  {
    path: 'paging.limitAboveMax',
    what: 'A `limit` above the longest page, but on /explore/pools',
    section: 'Errors',
  },
  { path: 'paging.offsetMax', what: 'The largest `offset`', section: 'GET /explore/pools' },
  { path: 'paging.pools', what: 'Order of /pools', section: 'Public pool and token endpoints' },
  { path: 'paging.swaps', what: 'Order of /swaps', section: 'Data and trading endpoints' },
  { path: 'paging.tokens', what: 'Order of /tokens', section: 'Public pool and token endpoints' },
  { path: 'profile.tokens', what: 'The token registry', section: 'Other records' },
  {
    path: 'profile.swapsPoolFilter',
    what: 'The parameter of /swaps that filters by pool',
    section: 'Data and trading endpoints',
  },
  {
    path: 'explorePools.windowDefault',
    what: '`window` of /explore/pools where none is given',
    section: 'GET /explore/pools',
  },
  {
    path: 'explorePools.sorts',
    what: 'Values of `sort`, and the fields that they sort by',
    section: 'GET /explore/pools',
  },
  {
    path: 'profile.explorePools.sort',
    what: 'Those that the profile tells',
    section: 'GET /explore/pools',
  },
  { path: 'explorePools.sortDefault', what: '`sort` where none is given', section: 'GET /explore/pools' },
  { path: 'explorePools.orderDefault', what: '`order` where none is given', section: 'GET /explore/pools' },
  {
    path: 'profile.explorePools.refuses',
    what: 'Spellings of `limit` and `offset` that the profile says are refused',
    section: 'GET /explore/pools',
  },
  { path: 'explorePools.searchLengthMax', what: 'The longest `search`', section: 'GET /explore/pools' },
  {
    path: 'explorePools.unknownFigures',
    what: 'Where rows stand whose figure is not known',
    section: 'GET /explore/pools',
  },
  {
    path: 'explorePools.unknownFields',
    what: 'How a row says that a figure or an image is not known',
    section: 'Explore pool row',
  },
  {
    path: 'explorePools.valuation',
    what: '`valuation`: the stable token’s price in dollars, or not known',
    section: 'GET /explore/pools',
  },
  { path: 'swapTrade', what: '`trade` of a swap, which is optional', section: 'Swap record' },
  { path: 'ohlcv.intervalDefault', what: '`interval` of candles where none is given', section: OPEN_SHAPE },
  {
    path: 'oracle.secondsAgoDefaults',
    what: 'Moments that an oracle tells of where none is asked for, in seconds before the last block',
    section: OPEN_SHAPE,
  },
  { path: 'oracle.secondsAgoMax', what: 'The furthest back that it may be asked for', section: OPEN_SHAPE },
]

export const ROUTE_ROWS: readonly ChoiceRow[] = [
  { path: 'profile.protocolState', what: '/protocol/state', section: 'Authentication, Other records' },
  {
    path: 'pendingRevision.retryAfterSeconds',
    what: 'The wait for a revision to come, in seconds',
    section: 'Errors',
  },
  { path: 'profile.route', what: 'A route', section: 'Other records' },
  {
    path: 'amountInMax',
    what: 'The largest `amount_in`',
    section: 'Data and trading endpoints',
    example: ({ amountInMax }) => `${amountInMax}`,
  },
  {
    path: 'paths',
    what: 'Public paths (`publicPaths`)',
    section: OPEN_SHAPE,
  },
  {
    path: 'profile.positionsPath',
    what: 'Positions',
    section: OPEN_SHAPE,
  },
  {
    path: 'profile.balancesPath',
    what: 'Balances',
    section: OPEN_SHAPE,
  },
  {
    path: 'profile.faucet',
    what: 'The faucet',
    section: OPEN_SHAPE,
  },
  {
    path: 'profile.referral',
    what: 'Redemption and attribution',
    section: OPEN_SHAPE,
  },
]

const SHAPE_OPEN = 'Endpoints whose names are given but whose shape is open'

export const MARKET_ROWS: readonly ChoiceRow[] = [
  { path: 'aggregator.prefix', what: 'What the paths of the aggregator begin with', section: SHAPE_OPEN },
  {
    path: 'aggregator.depthDefault',
    what: 'Levels of an order book, both sides together, where `depth` is not given',
    section: SHAPE_OPEN,
  },
  { path: 'aggregator.depthMax', what: 'The most levels; `depth=0` asks for as many', section: SHAPE_OPEN },
  {
    path: 'debug.prefix',
    what: 'What the paths of on-chain introspection begin with',
    section: 'What the service does',
  },
  { path: 'debug.access', what: 'Its access', section: 'Authentication' },
]
