/**
 * All points that the specification leaves open, as one described schema. Each set decides all of them, and is passed wherever a
 * decision is needed. docs/reference/choices.md is generated from the schema.
 */
import { z } from 'zod'
import { CHOICE_SET_NAMES, type ChoiceSetName } from '../../contract/scenario-config.ts'
import { CANDLE_INTERVALS } from '../indexer/candle-interval.ts'
import { alternativeChoices } from './alternative-choices.ts'
import { callable, open } from './choice-row.ts'
import { defaultChoices, replicatedChoices } from './default-choices.ts'
import { ERRORS, type ErrorCode } from './error-codes.ts'
import { feedChoices } from './feed-choices.ts'
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
    statuses: errors(
      z.partialRecord(z.enum(listCodes(ERRORS)), z.int()),
      'Statuses that differ, by error',
      'Errors',
    ),
    code: errors(shownOrHidden(), '`code`, except `protocol_revision_pending`, which is stated', 'Errors'),
    ref: errors(shownOrHidden(), '`ref`', 'Errors'),
  }),
  bodyBytesMax: errors(count(), 'Maximum size of a request body, in bytes', 'Limits'),
  keyLengthMax: errors(count(), 'Maximum length of an id in a request, in characters', 'Wire conventions'),
  challenge: z.strictObject({
    lifetimeSeconds: sessions(count(), 'Lifetime of a nonce, in seconds', AUTH),
    openMax: sessions(count(), 'Maximum number of open challenges of a wallet; the oldest is dropped', AUTH),
    addressLengthMax: sessions(count(), 'Maximum length of an address', AUTH_ENDPOINTS),
    signatureLengthMax: sessions(count(), 'Maximum length of a signature', AUTH_ENDPOINTS),
    /** The address is in wire format. */
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
    extra: sessions(z.record(z.string(), z.string()), 'Additional cookies', AUTH),
  }),
  signInWithoutAccess: sessions(
    z.enum(['refused', 'allowed']),
    'Sign-in of a wallet without access: rejected with 403, or allowed and rejected later',
    AUTH,
  ),
  refresh: z.strictObject({
    lifetimeSeconds: sessions(count(), 'Lifetime of a session after its last refresh, in seconds', AUTH),
    /** For requests within the grace time. */
    race: sessions(
      z.enum(['refused', 'shared']),
      'Requests that lose a race: 409, or the session of the winner',
      'Errors',
    ),
    /** Living on helps requests in progress. */
    formerAccess: sessions(
      z.enum(['lives on', 'ends']),
      'The previous access token after a refresh',
      'States and transitions',
    ),
  }),
  /** Random text, or a signed JWT (RFC 7519) with subject and expiry. */
  tokenForm: sessions(z.enum(['opaque', 'JWT']), 'Form of access tokens and tickets', AUTH),
  ticketUse: sessions(z.enum(['once', 'any number']), 'Number of sockets that a ticket opens', AUTH),
  apiTokens: z.strictObject({
    nameLengthMin: apiTokens(count(), 'Minimum length of a name', 'API token endpoints'),
    nameLengthMax: apiTokens(count(), 'Maximum length of a name', 'API token endpoints'),
    /** If optional, a token without it does not expire. */
    expiresInDays: apiTokens(z.enum(['optional', 'required']), '`expires_in_days`', 'API token endpoints'),
    expiresInDaysMin: apiTokens(count(), 'Minimum lifetime, in days', 'API token endpoints'),
    expiresInDaysMax: apiTokens(count(), 'Maximum lifetime, in days', 'Limits'),
    /** Includes `ss_`. */
    prefixLength: apiTokens(count(), 'Characters of the secret in the prefix', 'API token'),
  }),
  paging: z.strictObject({
    limitDefault: lists(count(), 'Default `limit`', EXPLORE),
    limitMaxElsewhere: lists(count(), 'Maximum page size of lists without a stated one', PUBLIC),
    limitAboveMax: lists(
      z.enum(['refused', 'clamped']),
      'A `limit` above the maximum, except on /explore/pools',
      'Errors',
    ),
    offsetMax: lists(count(), 'Maximum `offset`', EXPLORE),
    pools: lists(order(), 'Order of /pools', PUBLIC),
    swaps: lists(order(), 'Order of /swaps', TRADING),
    tokens: lists(order(), 'Order of /tokens', PUBLIC),
    sessions: sessions(order(), 'Order of the list of sessions', AUTH_ENDPOINTS),
  }),
  /** The query applies to /explore/tokens too. */
  explorePools: z.strictObject({
    windowDefault: lists(z.enum(['1h', '1d', '1w', '1m']), 'Default `window` of /explore/pools', EXPLORE),
    sorts: lists(
      z.record(z.string(), z.enum(['createdAt', 'tvlUsd', 'volumeUsd', 'priceUsd', 'priceChangePct'])),
      'Values of `sort`, and the fields that they sort by',
      EXPLORE,
    ),
    sortDefault: lists(z.string(), 'Default `sort`', EXPLORE),
    orderDefault: lists(z.enum(['asc', 'desc']), 'Default `order`', EXPLORE),
    searchLengthMax: lists(count(), 'Maximum length of `search`', EXPLORE),
    /** In either order. */
    unknownFigures: lists(z.enum(['last', 'first']), 'Position of rows with an unknown value', EXPLORE),
    unknownFields: lists(
      z.enum(['null', 'left out']),
      'How a row represents an unknown value or image',
      'Explore pool row',
    ),
    valuation: lists(
      z.enum(['null', 'left out', 'quoted']),
      '`valuation`: the stable token’s price in dollars, or unknown',
      EXPLORE,
    ),
  }),
  swapTrade: lists(z.enum(['left out', 'shown']), '`trade` of a swap, which is optional', 'Swap record'),
  ohlcv: z.strictObject({
    intervalDefault: lists(z.enum(CANDLE_INTERVALS), 'Default `interval` of candles', OPEN_SHAPE),
  }),
  oracle: z.strictObject({
    secondsAgoDefaults: lists(
      z.array(z.int().nonnegative()).readonly(),
      'Default moments of an oracle response, in seconds before the last block',
      OPEN_SHAPE,
    ),
    secondsAgoMax: lists(count(), 'Maximum age of a requested oracle moment, in seconds', OPEN_SHAPE),
  }),
  pendingRevision: z.strictObject({
    retryAfterSeconds: routes(count(), 'Wait for a pending revision, in seconds', 'Errors'),
  }),
  amountInMax: routes(z.bigint(), 'Maximum `amount_in`', TRADING),
  paths: routes(
    z.strictObject({ compliance: path(), exploreTokens: path() }),
    'Public paths (`publicPaths`)',
    OPEN_SHAPE,
  ),
  aggregator: z.strictObject({
    prefix: market(path(), 'Path prefix of the aggregator', OPEN_SHAPE),
    depthDefault: market(
      count(),
      'Default number of levels of an order book, both sides together',
      OPEN_SHAPE,
    ),
    depthMax: market(
      count(),
      'Maximum number of levels of an order book; `depth=0` requests as many',
      OPEN_SHAPE,
    ),
  }),
  debug: z.strictObject({
    prefix: market(path(), 'Path prefix of on-chain introspection', 'What the service does'),
    access: market(z.enum(['public', 'cred']), 'Access to on-chain introspection', AUTH),
  }),
  feed: feedChoices,
  deployment: z.strictObject({
    replicas: deployment(
      z.int().nonnegative(),
      'Number of replicas that serve public reads; with none, the primary serves them, as it does all other reads',
      'What the service does',
    ),
    replicaLagMs: deployment(
      z.int().nonnegative(),
      'Lag of the last replica, in milliseconds; the others lag in even steps up to that',
      'What the service does',
    ),
    gateways: deployment(
      count(),
      'Number of gateway nodes behind the feed’s address; connections are assigned in turn, and a node may restart alone',
      'Delivery',
    ),
    rollingRestartMs: deployment(
      count().nullable(),
      'Time between node restarts, in milliseconds: a gateway node closes its sockets, a REST node drains',
      'Delivery',
    ),
  }),
  profile: profilePart,
})

export type Choices = z.output<typeof choiceSetSchema>
export type Deployment = Choices['deployment']

export const CHOICE_SETS: Readonly<Record<ChoiceSetName, Choices>> = {
  default: defaultChoices,
  alternative: alternativeChoices,
  replicated: replicatedChoices,
}

function shownOrHidden() {
  return z.enum(['shown', 'hidden'])
}

function listCodes(errors: typeof ERRORS) {
  return Object.keys(errors) as ErrorCode[] // as: it has no others
}

/** As ASCII JSON, so that every character is visible. */
function escaped(text: string): string {
  const spelt = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, spelt)
}
