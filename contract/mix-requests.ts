/**
 * What a client of a workload mix may ask for, by the name that mixes call it. Plain data: also imported by scenarios
 * inside k6. Whatever the specification leaves open (paths, names of parameters) comes from the target profile.
 */
type MixRequest = {
  /** `cred`: a session or an API token is sent with it. */
  access: 'public' | 'cred'
  does: string
}

export const MIX_REQUESTS = {
  'explore-page': {
    access: 'public',
    does: 'one of the first three pages of /explore/pools, 20 rows, window 1d',
  },
  'explore-search': {
    access: 'public',
    does: '/explore/pools searched for the symbol of a pool that the client knows',
  },
  'explore-next': {
    access: 'public',
    does: 'the next page of /explore/pools, 100 rows, from the start again at its end',
  },
  'pools-page': { access: 'public', does: 'the first 50 rows of /pools' },
  'pools-next': {
    access: 'public',
    does: 'the next page of /pools, 100 rows, from the start again at its end',
  },
  'pools-stats': { access: 'public', does: '/pools/stats' },
  pool: { access: 'public', does: '/pools/{key} of the pool that the step is about' },
  'pool-stats': { access: 'public', does: '/pools/{key}/stats of it' },
  'pool-ohlcv': { access: 'public', does: '/pools/{key}/ohlcv of it' },
  'pool-trades': { access: 'public', does: '/pools/{key}/trades of it' },
  'pool-liquidity': { access: 'public', does: '/pools/{key}/liquidity-distribution of it' },
  'pool-oracle': { access: 'public', does: '/pools/{key}/oracle of it' },
  tokens: { access: 'public', does: '/tokens' },
  'public-path': { access: 'public', does: 'one of `choices.publicPaths` of the profile' },
  swaps: { access: 'cred', does: 'the first 50 rows of /swaps' },
  'swaps-of-pool': { access: 'cred', does: '/swaps filtered by the pool that the step is about' },
  unclaimed: { access: 'cred', does: '/unclaimed' },
  'fee-tiers': { access: 'cred', does: '/fee-tiers' },
  'schema-trading': { access: 'cred', does: '/schema/trading' },
  'access-status': { access: 'cred', does: '/access/status' },
  'referral-status': { access: 'cred', does: '/referral/status' },
  positions: { access: 'cred', does: '`choices.positionsPath` of the profile' },
  balances: { access: 'cred', does: '`choices.balancesPath` of the profile' },
  route: {
    access: 'cred',
    does: 'a route for one whole token of the pool that the step is about, asked again where its revision is older than one announced',
  },
} as const satisfies Record<string, MixRequest>

export type MixRequestName = keyof typeof MIX_REQUESTS

/** Whether a request of a mix takes a credential; a path of its own is a public read. */
export function needsCredential(request: string): boolean {
  return MIX_REQUESTS[request as MixRequestName]?.access === 'cred' // as: any text may be looked up
}
