import { choicesSchema } from '../../contract/profile.ts'
import type { Choices } from './choices.ts'
import { identity } from './wire.ts'

const { rateLimit: _limit, publicPaths: _paths, ...defaults } = choicesSchema.parse({})
/** As: no default is null except the number of API tokens, which is set below. */
const PROFILE = defaults as Choices['profile']

/** The default set of a profile: simple and realistic. */
export const defaultChoices: Choices = {
  name: 'default',
  profile: { ...PROFILE, apiTokens: { ...PROFILE.apiTokens, maxPerWallet: 100 } },
  wire: {
    timestamp: rfc3339,
    expiry: rfc3339,
    revision: (revision) => revision,
    fee: String,
    retryAfter: ({ waitMs }) => String(Math.ceil(waitMs / 1000)),
    tokenId: identity,
    poolKey: identity,
    address: identity,
    walletPattern: '^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$', // as demoWallets makes them
    sessionId: identity,
  },
  extraFields: {},
  paths: { compliance: '/compliance', exploreTokens: '/explore/tokens' },
  errors: { statuses: {}, code: 'shown', ref: 'shown' },
  createdStatus: 200,
  cookies: {
    path: '/',
    refreshPath: '/',
    /** SameSite guards refresh, which needs no CSRF header. */
    sameSite: 'lax',
    secure: false,
    extra: {},
  },
  signInWithoutAccess: 'refused',
  challenge: {
    lifetimeSeconds: 300,
    openMax: 64,
    addressLengthMax: 128,
    signatureLengthMax: 1024,
    message: challengeMessage,
  },
  refresh: { lifetimeSeconds: 7 * 24 * 60 * 60, race: 'refused', formerAccess: 'lives on' },
  tokenForm: 'opaque',
  ticketUse: 'once',
  apiTokens: {
    nameLengthMin: 1,
    nameLengthMax: 64,
    expiresInDays: 'optional',
    expiresInDaysMin: 1,
    expiresInDaysMax: 365,
    prefixLength: 11,
  },
  swapTrade: 'left out',
  paging: {
    limitDefault: 20,
    offsetMax: Number.MAX_SAFE_INTEGER,
    limitAboveMax: 'refused',
    limitMaxElsewhere: 100,
    pools: 'oldest first',
    swaps: 'newest first',
    tokens: 'oldest first',
    sessions: 'oldest first',
  },
  explorePools: {
    windowDefault: '1d',
    sorts: {
      created: 'createdAt',
      tvl: 'tvlUsd',
      volume: 'volumeUsd',
      price: 'priceUsd',
      change: 'priceChangePct',
    },
    sortDefault: 'tvl',
    orderDefault: 'desc',
    searchLengthMax: 400,
    unknownFigures: 'last',
    unknownFields: 'null',
    valuation: 'null',
  },
  ohlcv: { intervalDefault: '1h' },
  oracle: { secondsAgoDefaults: [0, 60, 600, 3600, 86_400], secondsAgoMax: 30 * 24 * 60 * 60 },
  /** 128 bits, as the chain's amounts. */
  amountInMax: 2n ** 128n - 1n,
  keyLengthMax: 512,
  aggregator: { prefix: '/aggregator', depthDefault: 100, depthMax: 500 },
  /** Not among the public routes that the specification lists. */
  debug: { prefix: '/debug', access: 'cred' },
  pendingRevision: { retryAfterSeconds: 1 },
  bodyBytesMax: 64 * 1024,
  feed: {
    closes: {
      authenticationFailed: { code: 4401, reason: 'authentication failed' },
      authenticationMissing: { code: 4401, reason: 'authenticate first' },
      ticketExpired: { code: 4401, reason: 'ticket expired' },
      principalChanged: { code: 4403, reason: 'renewal by another principal' },
      frameInvalid: null,
      deadlineMissed: { code: 4408, reason: 'not authenticated in time' },
      tooManyFrames: { code: 4429, reason: 'too many frames' },
    },
    controls: { greeting: null, authenticated: 'authenticated', error: 'error' },
    frameWindow: 'sliding',
    frameWindowMs: 60_000,
    refusedFramesMax: 240,
    refusalIntervalMs: 1000,
    highWaterBytes: 256 * 1024,
    unsentBytesMax: 1024 * 1024,
    closeTimeoutMs: 2000,
    pingEveryMs: 15_000,
    strangersPerAddressMax: 2000,
    strangersMax: 8000,
    strangersRetryAfterSeconds: 5,
  },
  deployment: { replicas: 0, replicaLagMs: 800, gateways: 1, rollingRestartMs: null },
}

function rfc3339(atMs: number): string {
  return new Date(atMs).toISOString()
}

/**
 * Breaks clients that rebuild, trim or normalize the message (specification, Authentication 4.2): several lines, a CRLF, a letter
 * in decomposed and composed form, a no-break space, trailing white space.
 */
function challengeMessage(options: { address: string; nonce: string; issuedAtMs: number }): string {
  return [
    'Breakwater exchange · sign in',
    '',
    `Wallet:\t${options.address}`,
    `Nonce:  ${options.nonce}\r`,
    `Issued:\u00a0${rfc3339(options.issuedAtMs)} `,
    '',
    'I accept the terms of use (re\u0301vise\u0301es, révisées) ⚓.  ',
    ' ',
    '',
  ].join('\n')
}

/**
 * `default` on several nodes: public reads come from replicas with different lags, and sockets are spread over gateway nodes. The
 * specification promises neither that two reads show the same moment nor that all sockets end together.
 */
export const replicatedChoices: Choices = {
  ...defaultChoices,
  name: 'replicated',
  // New rows appear at the top of the first page, where clients read.
  paging: { ...defaultChoices.paging, pools: 'newest first', tokens: 'newest first' },
  tokenForm: 'JWT',
  swapTrade: 'shown',
  explorePools: { ...defaultChoices.explorePools, valuation: 'quoted' },
  deployment: { ...defaultChoices.deployment, replicas: 3, gateways: 2 },
}

/**
 * The same choices over TLS: cookies are Secure, and cookies for every path get the prefix `__Host-`, with which browsers reject
 * cookies set by another host or over plain HTTP (RFC 6265bis, section 4.1.3.2).
 */
export function overTls(choices: Choices): Choices {
  const { profile, cookies } = choices
  const { access, refresh } = profile.cookies
  return {
    ...choices,
    profile: {
      ...profile,
      cookies: { access: named(access, cookies.path), refresh: named(refresh, cookies.refreshPath) },
    },
    cookies: {
      ...cookies,
      secure: true,
      extra: Object.fromEntries(
        Object.entries(cookies.extra).map(([name, value]) => [named(name, cookies.path), value]),
      ),
    },
  }
}

function named(cookie: string, path: string): string {
  return path === '/' ? `__Host-${cookie}` : cookie
}

/** Public reads whose paths the specification does not name. */
export function listPublicPaths({ paths, aggregator }: Pick<Choices, 'paths' | 'aggregator'>): string[] {
  return [...Object.values(paths), `${aggregator.prefix}/pairs`]
}
