/**
 * A workload mix as data (docs/reference/mixes.md): which clients arrive, how often, for how long, and what they do. An open model:
 * clients arrive at their rate, however slowly the target responds.
 */

import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { isCycle, MIX_CYCLES, type MixCycleName } from './mix-cycles.ts'
import type { Choices } from './profile.ts'
import { parseRouteGroup } from './series.ts'
import { suggestNames } from './suggest-names.ts'

/**
 * The requests that clients of a workload mix can send, by name. Plain data, also imported by scenarios inside k6. Paths and
 * parameter names that the specification leaves open come from the target profile.
 */
type MixRequest = {
  /** `cred`: sent with a session or an API token. */
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
    does: '/explore/pools searched for the symbol of a known pool',
  },
  'explore-next': {
    access: 'public',
    does: 'the next page of /explore/pools, 100 rows, starting over after the last one',
  },
  'pools-page': { access: 'public', does: 'the first 50 rows of /pools' },
  'pools-next': {
    access: 'public',
    does: 'the next page of /pools, 100 rows, starting over after the last one',
  },
  'pools-stats': { access: 'public', does: '/pools/stats' },
  pool: { access: 'public', does: '/pools/{key} of the step’s pool' },
  'pool-stats': { access: 'public', does: '/pools/{key}/stats of it' },
  'pool-ohlcv': { access: 'public', does: '/pools/{key}/ohlcv of it' },
  'pool-trades': { access: 'public', does: '/pools/{key}/trades of it' },
  'pool-liquidity': { access: 'public', does: '/pools/{key}/liquidity-distribution of it' },
  'pool-oracle': { access: 'public', does: '/pools/{key}/oracle of it' },
  tokens: { access: 'public', does: '/tokens' },
  'public-path': { access: 'public', does: 'one of `choices.publicPaths` of the profile' },
  swaps: { access: 'cred', does: 'the first 50 rows of /swaps' },
  'swaps-of-pool': { access: 'cred', does: '/swaps filtered by the step’s pool' },
  unclaimed: { access: 'cred', does: '/unclaimed' },
  'fee-tiers': { access: 'cred', does: '/fee-tiers' },
  'schema-trading': { access: 'cred', does: '/schema/trading' },
  'access-status': { access: 'cred', does: '/access/status' },
  'referral-status': { access: 'cred', does: '/referral/status' },
  positions: { access: 'cred', does: '`choices.positionsPath` of the profile' },
  balances: { access: 'cred', does: '`choices.balancesPath` of the profile' },
  route: {
    access: 'cred',
    does: 'a route for one whole token of the step’s pool, requested again if its revision is older than an announced one',
  },
} as const satisfies Record<string, MixRequest>

export type MixRequestName = keyof typeof MIX_REQUESTS

/** Checks if a request of a mix needs a credential; a custom path is a public read. */
function needsCredential(request: string): boolean {
  return MIX_REQUESTS[request as MixRequestName]?.access === 'cred' // as: any text may be looked up
}

const seconds = z.number().min(0).max(86_400)

/** A random duration. Log-normal: half of all values are below the median; `sigma` is the deviation of the logarithm. */
const time = z.discriminatedUnion('distribution', [
  z.strictObject({ distribution: z.literal('constant'), seconds }),
  z
    .strictObject({ distribution: z.literal('uniform'), minSeconds: seconds, maxSeconds: seconds })
    .refine(({ minSeconds, maxSeconds }) => minSeconds <= maxSeconds, {
      error: 'expected minSeconds to be at most maxSeconds',
    }),
  z.strictObject({ distribution: z.literal('exponential'), meanSeconds: seconds }),
  z.strictObject({
    distribution: z.literal('log-normal'),
    medianSeconds: seconds,
    sigma: z.number().min(0).max(2),
  }),
])

const names = [...Object.keys(MIX_REQUESTS), ...Object.keys(MIX_CYCLES)] as [
  MixRequestName | MixCycleName,
  ...(MixRequestName | MixCycleName)[],
] // as: the keys, which are never empty

const requestError = ({ input }: { input: unknown }) =>
  typeof input === 'string' && !input.startsWith('/')
    ? `unknown request ${JSON.stringify(input)}; ${suggestNames(input, names)}`
    : 'expected the name of a request, or a path that begins with / and has no query'
const request = z.union([z.enum(names), z.string().regex(/^\/[^?#\s]*$/, { error: requestError })], {
  error: requestError,
})

const step = z.strictObject({
  /** Relative probability of the step. */
  weight: z.number().positive().max(1_000_000),
  /** Sent in parallel, as by a page; all that need a pool use the same one. */
  requests: z.array(request).min(1).max(20),
})

const roomCount = z.int().min(0).max(LIMITS.wsRoomsPerConnection).default(0)

const rooms = z
  .strictObject({
    /** Number of pools to follow in each kind of room. */
    pool_stats: roomCount,
    ohlcv: roomCount,
    trades: roomCount,
    /** 1: joined. `balances` is that of the session's own wallet. */
    pool_launches: roomCount.pipe(z.int().max(1)),
    protocol_config: roomCount.pipe(z.int().max(1)),
    balances: roomCount.pipe(z.int().max(1)),
  })
  .refine(
    (counts) => Object.values(counts).reduce((sum, each) => sum + each, 0) <= LIMITS.wsRoomsPerConnection,
    {
      error: `expected at most ${LIMITS.wsRoomsPerConnection} rooms together`,
    },
  )

const feed = z.strictObject({
  rooms,
  /** Time from one ticket until the next one is fetched and sent. */
  renewAfterSeconds: z
    .number()
    .positive()
    .lt(LIMITS.wsTicketSeconds)
    .default(LIMITS.wsTicketSeconds - 15),
})

const client = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,39}$/,
      'expected small letters, digits and hyphens, at most 40, a letter first',
    ),
  description: z.string().min(1),
  /** No credential, one of the API tokens, or the cookies of a session that it signs in for. */
  credential: z.enum(['none', 'api-token', 'session']),
  arrivalRate: z.number().min(0.001).max(1000),
  /** From arrival to end, including sign-in. */
  sessionDuration: time,
  /** Pause between two steps. */
  thinkTime: time,
  /** How unevenly pools are chosen: with 0 all are equally likely, with 1 the second is half as likely as the first (Zipf). */
  poolSkew: z.number().min(0).max(3).default(1),
  /** Time from sign-in or the last refresh until a session is refreshed. */
  refreshAfterSeconds: z
    .number()
    .positive()
    .lt(LIMITS.accessSessionSeconds)
    .default(LIMITS.accessSessionSeconds - 180),
  feed: feed.nullable().default(null),
  steps: z.array(step).min(1),
})

type ClientInput = z.output<typeof client>

/** Rules across fields; each is checked only if the client's fields are valid, and reports its own path. */
const ACROSS: readonly { path: readonly string[]; problem: (client: ClientInput) => string | undefined }[] = [
  {
    path: ['feed'],
    problem: ({ credential, feed }) =>
      feed !== null && credential === 'none'
        ? 'a socket requires a ticket, so expected credential to be api-token or session'
        : undefined,
  },
  {
    path: ['feed', 'rooms', 'balances'],
    problem: ({ credential, feed }) =>
      feed !== null && feed.rooms.balances > 0 && credential !== 'session'
        ? 'the wallet of an API token is unknown, so expected credential to be session'
        : undefined,
  },
  {
    path: ['steps'],
    problem: ({ credential, steps }) => {
      const closed = steps.flatMap(({ requests }) => requests).filter(needsCredential)
      return credential === 'none' && closed.length > 0
        ? `${[...new Set(closed)].join(', ')} require a credential, so expected credential to be api-token or session`
        : undefined
    },
  },
  {
    path: ['steps'],
    problem: ({ credential, steps }) => {
      const cycles = steps.flatMap(({ requests }) => requests).filter(isCycle)
      return credential !== 'session' && cycles.length > 0
        ? `${[...new Set(cycles)].join(', ')} require a wallet, so expected credential to be session`
        : undefined
    },
  },
]

const checkedClient = ACROSS.reduce<z.ZodType<ClientInput>>(
  (schema, { path, problem }) =>
    schema.refine((value) => problem(value) === undefined, {
      path: [...path],
      error: ({ input }) => problem(input as ClientInput) ?? '', // as: the refinement has checked it
    }),
  client,
)

export const mixSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  /** How long clients arrive. Those present at the end leave. */
  durationSeconds: z.number().min(1).max(86_400),
  /** `steady`: the average number of clients is present at the start, each somewhere in its session. */
  start: z.enum(['empty', 'steady']).default('empty'),
  clients: z
    .array(checkedClient)
    .min(1)
    .refine((clients) => new Set(clients.map(({ name }) => name)).size === clients.length, {
      error: 'expected clients to have different names',
    }),
})

export type Mix = z.infer<typeof mixSchema>
export type MixClient = Mix['clients'][number]
export type MixTime = MixClient['sessionDuration']

/** Returns the JSON Schema (draft 2020-12) of a mix, without the rules across fields. */
export function mixJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(mixSchema, { io: 'input' })
}

/** Returns the route groups of a mix's requests, which objectives can refer to. */
type Paths = Pick<Choices, 'positionsPath' | 'balancesPath' | 'publicPaths'>

/** Sorted by name. */
export function listRouteGroups(mix: Mix, paths: Paths): string[] {
  return [...new Set(mix.clients.flatMap((client) => listClientGroups(client, paths)))].sort()
}

function listClientGroups({ credential, feed, steps }: MixClient, paths: Paths): string[] {
  return [
    ...steps.flatMap(({ requests }) => requests.flatMap((name) => listRequestGroups(name, paths))),
    // Clients learn the pools from it.
    'explore',
    ...(credential === 'session' || feed !== null ? ['auth'] : []),
    ...(feed === null || feed.rooms.protocol_config === 0 ? [] : ['protocol']),
  ]
}

function listRequestGroups(name: string, paths: Paths): string[] {
  if (name === 'feed-cycle') return ['auth', 'protocol']
  if (isCycle(name)) return ['auth', 'access', 'api-tokens']
  const group = GROUPS[name as MixRequestName] // as: any text may be looked up
  if (group === undefined) return [parseRouteGroup(name)]
  const listed = typeof group === 'string' ? [group] : group(paths)
  return listed.filter((path) => path !== null).map(parseRouteGroup)
}

/** Each a path of the group, or those from the profile. */
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
