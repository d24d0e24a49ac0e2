import type { Choices } from './choices.ts'
import { defaultChoices } from './default-choices.ts'
import { codec } from './wire.ts'

/** As different from `default` as the specification allows, to expose assumptions of clients and scenarios. */
export const alternativeChoices: Choices = {
  name: 'alternative',
  profile: {
    signature: { scheme: 'ecdsa-p256-sha256', encoding: 'base64url' },
    verify: {
      address: 'data.wallet.address',
      accessExpiresAt: 'data.session.access.until',
      csrfToken: 'data.session.xsrf',
    },
    cookies: { access: 'x.sid', refresh: 'x.sid~renewal' },
    refresh: { graceSeconds: 4 },
    expiry: 'epoch-seconds',
    wsTicket: { ticket: 'data.feed.pass' },
    sessions: { list: 'data.sessions', id: 'session.ref', current: 'session.is_this_one' },
    apiTokens: { list: 'data.keys', id: 'meta.uuid', maxPerWallet: 7 },
    tokens: {
      list: 'data',
      id: 'token.ref',
      address: 'token.contract',
      ammTokenProgram: 'programs.amm',
    },
    swapsPoolFilter: 'via_pool',
    protocolState: { access: 'cred', revision: 'data.config.current.revision' },
    route: {
      hops: 'data.quote.path',
      protocolRevision: 'data.quote.protocol_revision',
      amountOut: 'data.quote.receive.amount',
      hop: { pool: 'market.key', tokenIn: 'sell', tokenOut: 'buy' },
    },
    events: {
      id: 'data.event.ref',
      pool: { PoolLaunch: 'data.event.listed', '*': 'data.event.market' },
      address: 'data.event.account',
      changes: 'data.changed.entries',
    },
    eventTime: { path: 'data.event.at', format: 'iso8601' },
    faucet: { path: '/airdrop/test-tokens', address: 'to', access: 'public' },
    referral: { redeemPath: '/referral/use', code: 'invite', attributionPath: '/referral/source' },
    positionsPath: '/portfolio/liquidity',
    balancesPath: '/portfolio/holdings',
    explorePools: {
      sort: {
        listed_on: { field: 'createdAt', compare: 'text', stable: true },
        'depth:usd': { field: 'tvlUsd', compare: 'number', stable: false },
      },
      rejects: ['00', '1.0', '%31', ' 7', '7 ', '1_0', '0x10', '٣', '', 'ten'],
    },
  },
  wire: {
    timestamp: spacedTimestamp,
    expiry: (atMs) => String(Math.floor(atMs / 1000)),
    revision: String,
    fee: feeFraction,
    retryAfter: ({ waitMs, nowMs }) => new Date(Math.ceil((nowMs + waitMs) / 1000) * 1000).toUTCString(),
    // Parses as a number, but loses nearly all its digits.
    tokenId: codec({
      encode: (id) => `0${id.replace(/field$/, '')}e0`,
      decode: (text) => text.replace(/^0(.*)e0$/, '$1field'),
    }),
    // Characters with a special meaning in a path, a query or a room; é as two code points.
    poolKey: codec({
      encode: (key) => key.replace(/^(..)(.*)field$/, '$1/%2F+ №:e\u0301&?#=$2;'),
      decode: (text) => text.replace(/^(..)\/%2F\+ №:e\u0301&\?#=(.*);$/, '$1$2field'),
    }),
    address: codec({
      encode: (address) => address.replace(/^bw1(.*)$/, (_, rest: string) => `1E5.${rest.toUpperCase()}=`),
      decode: (text) => text.replace(/^1E5\.(.*)=$/, (_, rest: string) => `bw1${rest.toLowerCase()}`),
    }),
    walletPattern: '^1E5\\.[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}=$',
    sessionId: codec({
      encode: (uuid) => `s/00${BigInt(`0x${uuid.replaceAll('-', '')}`)}`,
      decode: (text) => (/^s\/00[0-9]{1,39}$/.test(text) ? toUuid(BigInt(text.slice(4))) : undefined),
    }),
  },
  extraFields: { api: { generation: 'VII' }, note: null },
  paths: { compliance: '/compliance/notices', exploreTokens: '/explore/assets' },
  errors: {
    statuses: {
      signature_invalid: 400,
      session_required: 401,
      csrf_required: 400,
      pool_not_found: 410,
      referral_code_unknown: 400,
      referral_code_taken: 410,
      faucet_claimed: 409,
      api_token_limit: 422,
      body_too_large: 400,
      media_type_unsupported: 400,
    },
    code: 'hidden',
    ref: 'hidden',
  },
  createdStatus: 201,
  cookies: {
    path: '/',
    refreshPath: '/auth',
    sameSite: 'strict',
    secure: false,
    extra: { 'x.sid_hint': '1', locale: 'cy-GB', 'lb-node': 'eu~7' },
  },
  signInWithoutAccess: 'allowed',
  challenge: {
    lifetimeSeconds: 90,
    openMax: 8,
    addressLengthMax: 256,
    signatureLengthMax: 256,
    message: challengeMessage,
  },
  refresh: { lifetimeSeconds: 24 * 60 * 60, race: 'shared', formerAccess: 'ends' },
  tokenForm: 'opaque',
  ticketUse: 'any number',
  apiTokens: {
    nameLengthMin: 3,
    nameLengthMax: 200,
    expiresInDays: 'required',
    expiresInDaysMin: 1,
    expiresInDaysMax: 30,
    prefixLength: 9,
  },
  swapTrade: 'left out',
  paging: {
    limitDefault: 3,
    offsetMax: 1_000_000,
    limitAboveMax: 'clamped',
    limitMaxElsewhere: 9,
    pools: 'newest first',
    swaps: 'oldest first',
    tokens: 'newest first',
    sessions: 'newest first',
  },
  explorePools: {
    windowDefault: '1w',
    sorts: {
      listed_on: 'createdAt',
      'depth:usd': 'tvlUsd',
      'turnover:usd': 'volumeUsd',
      'last:usd': 'priceUsd',
      'swing:%': 'priceChangePct',
    },
    sortDefault: 'swing:%',
    orderDefault: 'asc',
    searchLengthMax: 600,
    unknownFigures: 'first',
    unknownFields: 'left out',
    valuation: 'left out',
  },
  ohlcv: { intervalDefault: '15m' },
  oracle: { secondsAgoDefaults: [1800, 1], secondsAgoMax: 86_400 },
  amountInMax: 2n ** 96n - 1n,
  keyLengthMax: 256,
  aggregator: { prefix: '/coinlist/v1', depthDefault: 10, depthMax: 40 },
  debug: { prefix: '/chain/inspect', access: 'public' },
  pendingRevision: { retryAfterSeconds: 2 },
  bodyBytesMax: 8 * 1024,
  feed: {
    /** Codes of IANA's WebSocket registry, and a normal closure for an expired ticket. */
    closes: {
      authenticationFailed: { code: 3000, reason: '' },
      authenticationMissing: null,
      ticketExpired: { code: 1000, reason: '' },
      principalChanged: null,
      frameInvalid: { code: 1003, reason: '' },
      deadlineMissed: { code: 3008, reason: '' },
      tooManyFrames: { code: 1008, reason: '' },
    },
    controls: { greeting: 'motd', authenticated: null, error: null },
    frameWindow: 'fixed',
    frameWindowMs: 60_000,
    refusedFramesMax: 120,
    refusalIntervalMs: 1000,
    highWaterBytes: 128 * 1024,
    unsentBytesMax: 512 * 1024,
    closeTimeoutMs: 1000,
    pingEveryMs: 10_000,
    strangersPerAddressMax: 200,
    strangersMax: 800,
    strangersRetryAfterSeconds: 3,
  },
  deployment: defaultChoices.deployment,
}

/** Format of databases: a space in the middle, microseconds, an offset without a colon. Sorts as text. */
function spacedTimestamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').replace('Z', '000+00')
}

/** 3000 hundredths of a basis point are `0.003000`. */
function feeFraction(feePips: number): string {
  return `${Math.floor(feePips / 1_000_000)}.${String(feePips % 1_000_000).padStart(6, '0')}`
}

function toUuid(value: bigint): string {
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Starts with a byte order mark and white space; has three kinds of line ending and five of white space, some trailing. */
function challengeMessage({ address, nonce }: { address: string; nonce: string }): string {
  return `\ufeff \r\n\n\t${nonce}\u2028ﬁrst\u0085\r\r\n\n\n${address}\u3000\u200b \u{1F9F5}A\u030a = Å\u00a0 \n \r\n`
}
