import type { Choices } from '../../choices/choices.ts'

/** The route groups of the specification, and one for what those who run an exchange ask of it. */
export const TAGS = {
  auth: 'Sign-in, sessions, tickets for the live feed',
  'api-tokens': 'Credentials for backends, bots and command lines',
  referral: 'Access and referral codes',
  pools: 'Pools, and what happens in them',
  positions: 'What the wallet holds',
  tokens: 'The token registry',
  explore: 'What a market page shows',
  compliance: 'Allowlist, pause, pool creation',
  protocol: 'Protocol configuration, and how to call the programs',
  route: 'Routes and quotes',
  unclaimed: 'Settlement still owed',
  'aggregator integration': 'For a market-data aggregator',
  airdrop: 'The faucet',
  debug: 'On-chain introspection',
  operations: 'For those who run the exchange',
} as const

type Tag = keyof typeof TAGS

/** Of a path; one that a choice names belongs where that choice says. Throws RangeError for a path of no group. */
export function tagOf(path: string, { profile, paths, aggregator, debug }: Choices): Tag {
  const named = Object.entries<Tag>({
    [profile.faucet.path]: 'airdrop',
    [profile.referral.redeemPath]: 'referral',
    [profile.referral.attributionPath]: 'referral',
    [profile.positionsPath]: 'positions',
    [profile.balancesPath]: 'positions',
    [paths.compliance]: 'compliance',
    [paths.exploreTokens]: 'explore',
    [aggregator.prefix]: 'aggregator integration',
    [debug.prefix]: 'debug',
  })
  const tag =
    named.find(([start]) => `${path}/`.startsWith(`${start}/`))?.[1] ??
    TAG_OF_SEGMENT[path.split('/')[1] ?? '']
  if (!tag) throw new RangeError(`${path} belongs to no route group`)
  return tag
}

const TAG_OF_SEGMENT: Readonly<Record<string, Tag>> = {
  auth: 'auth',
  'api-tokens': 'api-tokens',
  access: 'referral',
  referral: 'referral',
  pools: 'pools',
  swaps: 'pools',
  tokens: 'tokens',
  explore: 'explore',
  compliance: 'compliance',
  protocol: 'protocol',
  'fee-tiers': 'protocol',
  schema: 'protocol',
  route: 'route',
  unclaimed: 'unclaimed',
  health: 'operations',
  ready: 'operations',
  metrics: 'operations',
}
