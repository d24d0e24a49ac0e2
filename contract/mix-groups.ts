/** Which route groups the requests of a mix lie in: what objectives about it can be about. */
import type { Mix, MixClient } from './mix.ts'
import type { MixRequestName } from './mix-requests.ts'
import type { Choices } from './profile.ts'
import { routeGroupOf } from './route-group.ts'

type Paths = Pick<Choices, 'positionsPath' | 'balancesPath' | 'publicPaths'>

/** By rising name. */
export function routeGroupsOf(mix: Mix, paths: Paths): string[] {
  return [...new Set(mix.clients.flatMap((client) => groupsOfClient(client, paths)))].sort()
}

function groupsOfClient({ credential, feed, steps }: MixClient, paths: Paths): string[] {
  return [
    ...steps.flatMap(({ requests }) => requests.flatMap((name) => groupsOfRequest(name, paths))),
    // Pools are learnt from it.
    'explore',
    ...(credential === 'session' || feed !== null ? ['auth'] : []),
    ...(feed === null || feed.rooms.protocol_config === 0 ? [] : ['protocol']),
  ]
}

function groupsOfRequest(name: string, paths: Paths): string[] {
  const group = GROUPS[name as MixRequestName] // as: any text may be looked up
  if (group === undefined) return [routeGroupOf(name)]
  const told = typeof group === 'string' ? [group] : group(paths)
  return told.filter((path) => path !== null).map(routeGroupOf)
}

/** Each a path of the group, or those that the profile tells. */
const GROUPS: Readonly<Record<MixRequestName, string | ((paths: Paths) => readonly (string | null)[])>> = {
  'explore-page': '/explore',
  'explore-search': '/explore',
  'explore-next': '/explore',
  'pools-page': '/pools',
  'pools-next': '/pools',
  'pools-stats': '/pools',
  pool: '/pools',
  'pool-stats': '/pools',
  'pool-ohlcv': '/pools',
  'pool-trades': '/pools',
  'pool-liquidity': '/pools',
  'pool-oracle': '/pools',
  tokens: '/tokens',
  'public-path': ({ publicPaths }) => publicPaths,
  swaps: '/swaps',
  'swaps-of-pool': '/swaps',
  unclaimed: '/unclaimed',
  'fee-tiers': '/fee-tiers',
  'schema-trading': '/schema',
  'access-status': '/access',
  'referral-status': '/referral',
  positions: ({ positionsPath }) => [positionsPath],
  balances: ({ balancesPath }) => [balancesPath],
  route: '/route',
}
