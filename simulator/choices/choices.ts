/**
 * The points that the specification leaves open, as one described schema. Each set decides all of them, and is passed in
 * wherever a decision is needed. docs/choices.md is generated from the schema.
 */
import { z } from 'zod'
import { CHOICE_SET_NAMES, type ChoiceSetName } from '../../contract/scenario-config.ts'
import { CANDLE_INTERVALS } from '../indexer/candle-interval.ts'
import { callable, open } from './choice-row.ts'
import { ERRORS, type ErrorCode } from './error-codes.ts'
import { feedChoices } from './feed-choices.ts'
import { odd } from './odd.ts'
import { plain, replicated } from './plain.ts'
import { profilePart } from './profile-part.ts'
import { AT_MS, wireChoices } from './wire.ts'

const count = () => z.int().positive()
const order = () => z.enum(['oldest first', 'newest first'])
const path = () => z.string().startsWith('/')

const AUTH = 'Authentication'
const AUTH_ENDPOINTS = 'Authentication endpoints'
const EXPLORE = 'GET /explore/pools'
const OPEN_SHAPE = 'Endpoints whose names are given but whose shape is open'
const PUBLIC = 'Public pool and token endpoints'
const TRADING = 'Data and trading endpoints'

const wire = open('On the wire')
const errors = open('Errors')
const sessions = open('Sign-in and sessions')
const apiTokens = open('API tokens')
const lists = open('Lists')
const routes = open('Protocol and routes')
const market = open('Market data and introspection')
const deployment = open('Deployment')

export const choiceSetSchema = z.strictObject({
  name: z.enum(CHOICE_SET_NAMES),
  wire: wireChoices,
  extraFields: wire(
    z.record(z.string(), z.unknown()),
    'Fields in every body and every event that are not stated',
    'Wire conventions',
    (fields) => JSON.stringify(fields),
  ),
  errors: z.strictObject({
    /** Replace those in ERRORS. */
    statuses: errors(
      z.partialRecord(z.enum(keysOf(ERRORS)), z.int()),
      'Statuses that differ, by error',
      'Errors',
    ),
    code: errors(shownOrHidden(), '`code`, except `protocol_revision_pending`, which is stated', 'Errors'),
    ref: errors(shownOrHidden(), '`ref`', 'Errors'),
  }),
  bodyBytesMax: errors(count(), 'The longest body of a request, in bytes', 'Limits'),
  keyLengthMax: errors(count(), 'The longest id in a request, in characters', 'Wire conventions'),
  challenge: z.strictObject({
    lifetimeSeconds: sessions(count(), 'How long a nonce may be answered, in seconds', AUTH),
    openMax: sessions(
      count(),
      'Challenges of a wallet that may be open at once; the oldest makes room',
      AUTH,
    ),
    addressLengthMax: sessions(count(), 'The longest address taken', AUTH_ENDPOINTS),
    signatureLengthMax: sessions(count(), 'The longest signature taken', AUTH_ENDPOINTS),
    /** The address is as on the wire. */
    message: sessions(
      callable<(options: { address: string; nonce: string; issuedAtMs: number }) => string>(),
      'The message to sign, as a JSON string',
      AUTH,
      (message) => escaped(message({ address: 'ADDRESS', nonce: 'NONCE', issuedAtMs: AT_MS })),
    ),
  }),
  createdStatus: sessions(
    z.literal([200, 201]),
    'Status of a response that creates a challenge, a session or an API token',
    'Endpoints',
  ),
  cookies: z.strictObject({
    path: sessions(path(), '`Path` of the cookies', AUTH),
    refreshPath: sessions(path(), '`Path` of the refresh cookie', AUTH),
    sameSite: sessions(z.enum(['lax', 'strict']), '`SameSite` of the cookies', AUTH),
    /** False in each set: `overTls` sets it. */
    secure: sessions(
      z.boolean(),
      '`Secure` of the cookies; with `stub --tls` it is set, and names begin with `__Host-` if `Path` is `/`',
      AUTH,
    ),
    /** Not secret, and readable by scripts. */
    extra: sessions(z.record(z.string(), z.string()), 'Further cookies', AUTH),
  }),
  signInWithoutAccess: sessions(
    z.enum(['refused', 'allowed']),
    'Sign-in of a wallet without access: refused with 403, or allowed and refused later',
    AUTH,
  ),
  refresh: z.strictObject({
    lifetimeSeconds: sessions(count(), 'How long a session lives after its last refresh, in seconds', AUTH),
    /** Of requests within the grace time. */
    race: sessions(
      z.enum(['refused', 'shared']),
      'Those that lose a race: 409, or the session of the winner',
      'Errors',
    ),
    /** It may live on for requests under way. */
    formerAccess: sessions(
      z.enum(['lives on', 'ends']),
      'The access token from before a refresh',
      'States and transitions',
    ),
  }),
  /** Random text, or a signed JWT (RFC 7519) with subject and expiry. */
  tokenForm: sessions(z.enum(['opaque', 'JWT']), 'Form of access tokens and tickets', AUTH),
  ticketUse: sessions(z.enum(['once', 'any number']), 'How often a ticket opens a socket', AUTH),
  apiTokens: z.strictObject({
    nameLengthMin: apiTokens(count(), 'The shortest name', 'API token endpoints'),
    nameLengthMax: apiTokens(count(), 'The longest name', 'API token endpoints'),
    /** If it is optional, a token without it does not expire. */
    expiresInDays: apiTokens(z.enum(['optional', 'required']), '`expires_in_days`', 'API token endpoints'),
    expiresInDaysMin: apiTokens(count(), 'The shortest life, in days', 'API token endpoints'),
    expiresInDaysMax: apiTokens(count(), 'The longest life, in days', 'Limits'),
    /** `ss_` included. */
    prefixLength: apiTokens(count(), 'How much of the secret the prefix shows', 'API token'),
  }),
  paging: z.strictObject({
    limitDefault: lists(count(), '`limit` by default', EXPLORE),
    limitMaxElsewhere: lists(count(), 'The longest page of lists without a stated one', PUBLIC),
    limitAboveMax: lists(
      z.enum(['refused', 'clamped']),
      'A `limit` above the longest page, except on /explore/pools',
      'Errors',
    ),
    offsetMax: lists(count(), 'The largest `offset`', EXPLORE),
    pools: lists(order(), 'Order of /pools', PUBLIC),
    swaps: lists(order(), 'Order of /swaps', TRADING),
    tokens: lists(order(), 'Order of /tokens', PUBLIC),
    sessions: sessions(order(), 'Order of the list of sessions', AUTH_ENDPOINTS),
  }),
  /** The query applies to /explore/tokens too. */
  explorePools: z.strictObject({
    windowDefault: lists(z.enum(['1h', '1d', '1w', '1m']), '`window` of /explore/pools by default', EXPLORE),
    sorts: lists(
      z.record(z.string(), z.enum(['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct'])),
      'Values of `sort`, and the fields that they sort by',
      EXPLORE,
    ),
    sortDefault: lists(z.string(), '`sort` by default', EXPLORE),
    orderDefault: lists(z.enum(['asc', 'desc']), '`order` by default', EXPLORE),
    searchLengthMax: lists(count(), 'The longest `search`', EXPLORE),
    /** In either order. */
    unknownFigures: lists(z.enum(['last', 'first']), 'Position of rows whose figure is not known', EXPLORE),
    unknownFields: lists(
      z.enum(['null', 'left out']),
      'How a row says that a figure or an image is not known',
      'Explore pool row',
    ),
    valuation: lists(
      z.enum(['null', 'left out', 'quoted']),
      '`valuation`: the stable token’s price in dollars, or not known',
      EXPLORE,
    ),
  }),
  swapTrade: lists(z.enum(['left out', 'shown']), '`trade` of a swap, which is optional', 'Swap record'),
  ohlcv: z.strictObject({
    intervalDefault: lists(z.enum(CANDLE_INTERVALS), '`interval` of candles by default', OPEN_SHAPE),
  }),
  oracle: z.strictObject({
    secondsAgoDefaults: lists(
      z.array(z.int().nonnegative()).readonly(),
      'Moments in an oracle response by default, in seconds before the last block',
      OPEN_SHAPE,
    ),
    secondsAgoMax: lists(count(), 'The earliest moment that it takes', OPEN_SHAPE),
  }),
  pendingRevision: z.strictObject({
    retryAfterSeconds: routes(count(), 'The wait for a revision to come, in seconds', 'Errors'),
  }),
  amountInMax: routes(z.bigint(), 'The largest `amount_in`', TRADING),
  paths: routes(
    z.strictObject({ compliance: path(), exploreTokens: path() }),
    'Public paths (`publicPaths`)',
    OPEN_SHAPE,
  ),
  aggregator: z.strictObject({
    prefix: market(path(), 'The beginning of the paths of the aggregator', OPEN_SHAPE),
    depthDefault: market(count(), 'Levels of an order book by default, both sides together', OPEN_SHAPE),
    depthMax: market(count(), 'The most levels; `depth=0` requests as many', OPEN_SHAPE),
  }),
  debug: z.strictObject({
    prefix: market(path(), 'The beginning of the paths of on-chain introspection', 'What the service does'),
    access: market(z.enum(['public', 'cred']), 'Access to on-chain introspection', AUTH),
  }),
  feed: feedChoices,
  deployment: z.strictObject({
    replicas: deployment(
      z.int().nonnegative(),
      'Replicas that public reads come from; with none, they come from the primary, as all other reads do',
      'What the service does',
    ),
    replicaLagMs: deployment(
      z.int().nonnegative(),
      'How far the last replica is behind, in milliseconds; the others lag in even steps up to that',
      'What the service does',
    ),
    gateways: deployment(
      count(),
      'Gateway nodes behind the one address of the feed, to which connections go in turn; a node may restart alone',
      'Delivery',
    ),
    rollingRestartMs: deployment(
      count().nullable(),
      'How often the next node restarts, in milliseconds: a gateway node closes its sockets, a REST node drains',
      'Delivery',
    ),
  }),
  profile: profilePart,
})

export type Choices = z.output<typeof choiceSetSchema>
export type Deployment = Choices['deployment']

/** The sets, by the name that `--choices` takes. */
export const CHOICE_SETS: Readonly<Record<ChoiceSetName, Choices>> = { plain, odd, replicated }

function shownOrHidden() {
  return z.enum(['shown', 'hidden'])
}

function keysOf(errors: typeof ERRORS) {
  return Object.keys(errors) as ErrorCode[] // as: it has no others
}

/** As JSON in ASCII, so that all of it can be seen. */
function escaped(text: string): string {
  const spelt = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, spelt)
}
