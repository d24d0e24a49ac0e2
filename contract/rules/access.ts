import { serverRules } from '../rule.ts'

/** Who is let in without credentials. Only where a body is stated is more than that stated. */
export const ACCESS_RULES = serverRules([
  [
    'access.public.health',
    'Authentication',
    '/health, /ready and /metrics are public.',
    'none answers 401 or 403 without credentials',
    'Reads the three without credentials, each twice; what is not served there tells nothing.',
  ],
  [
    'access.public.pools',
    'Authentication',
    '/pools, /pools/stats and /pools/{key} are public.',
    'none answers 401 or 403 without credentials',
    'Reads the three without credentials, each twice, with the key of a pool from the list.',
  ],
  [
    'access.public.pool-reads',
    'Authentication',
    'The reads of a pool (ohlcv, liquidity-distribution, trades, stats, oracle) are public.',
    'none answers 401 or 403 without credentials',
    'Reads the five of one pool without credentials or parameters, each twice.',
  ],
  [
    'access.public.explore',
    'Authentication',
    'All of /explore is public.',
    'neither /explore/pools nor a path of /explore that the profile lists answers 401 or 403',
    'Reads /explore/pools and the listed paths without credentials, each twice.',
  ],
  [
    'access.public.tokens',
    'Authentication',
    '/tokens is public.',
    'it does not answer 401 or 403 without credentials',
    'Reads /tokens without credentials, twice.',
  ],
  [
    'access.public.compliance',
    'Authentication',
    'All of /compliance is public.',
    'no path of /compliance that the profile lists answers 401 or 403',
    'Reads the listed paths without credentials, each twice.',
  ],
  [
    'access.public.aggregator',
    'Authentication',
    'The routes for the data aggregator are public.',
    'no path that the profile lists beside those of /explore and /compliance answers 401 or 403',
    'Reads the listed paths without credentials, each twice.',
  ],
])
