/**
 * The target profile: the address of a target, how to sign in, and its choices for what the specification leaves open.
 * A public format (docs/reference/profile.md) with stable names. Every choice has a default.
 */
import { z } from 'zod'
import { EVENT_PATH_TYPES } from './room-events.ts'

/** A dotted path into a JSON body, such as `data.csrf_token`; null if unknown. */
const fieldPath = (name: string, what: string) => z.string().min(1).nullable().default(name).describe(what)
/** A path into an event, or one for each event type. */
const eventPath = (name: string, what: string) =>
  z
    .union([
      z.string().min(1),
      z.null(),
      z.partialRecord(z.enum(EVENT_PATH_TYPES), z.string().min(1).nullable()),
    ])
    .default(name)
    .describe(`${what}; a path, or an object of paths by event type`)
const routePath = (path: string, what: string) =>
  z.string().startsWith('/').nullable().default(path).describe(what)
const wireName = (name: string, what: string) => z.string().min(1).nullable().default(name).describe(what)
/** An object of choices that consists of defaults if left out. */
const choice = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

const signature = choice({
  scheme: z
    .string()
    .default('ecdsa-p256-sha256')
    .describe(
      'signature scheme. Breakwater signs with the default scheme and the key of the wallet; any other scheme needs `credentials.signer`',
    ),
  encoding: z
    .enum(['hex', 'base64', 'base64url'])
    .default('hex')
    .describe('encoding of a signature, which is r and s with 32 bytes each'),
})

const sortField = z.strictObject({
  field: z.string().min(1),
  compare: z.enum(['number', 'text', 'time']),
  /** Rows under this sort neither move nor disappear while a client pages. */
  stable: z.boolean(),
})

const explorePools = choice({
  sort: z
    .record(z.string(), sortField)
    .default({
      created: { field: 'createdAt', compare: 'time', stable: true },
      tvl: { field: 'tvlUsd', compare: 'number', stable: false },
    })
    .describe(
      'values of `sort`: for each, the `field` of a row, how to `compare` it (`number`, `text` by code points, `time`), and whether the order is `stable` between requests',
    ),
  rejects: z
    .array(z.string())
    .default(['1e2', '-1'])
    .describe('spellings of limit and offset that the target rejects'),
})

const rateLimit = z
  .strictObject({
    burst: z.int().positive(),
    perSecond: z.number().positive(),
    per: z.enum(['credential', 'address']),
  })
  .nullable()
  .default(null)
  .describe(
    'the rate limit: `{burst, perSecond, per}`, per `credential` or `address`; null: no probe tries to reach it',
  )

export const choicesSchema = choice({
  signature,
  verify: choice({
    address: fieldPath('data.address', 'the wallet address in the response to verify'),
    accessExpiresAt: fieldPath('data.access_expires_at', 'the session’s expiry in the response to verify'),
    csrfToken: fieldPath('data.csrf_token', 'the CSRF token in the response to verify'),
  }),
  cookies: choice({
    access: wireName('access', 'name of the access cookie'),
    refresh: wireName('refresh', 'name of the refresh cookie'),
  }),
  refresh: choice({
    graceSeconds: z
      .number()
      .nonnegative()
      .nullable()
      .default(10)
      .describe('how long a replaced refresh token may still get the response of a concurrent refresh'),
  }),
  expiry: z
    .enum(['rfc3339', 'epoch-seconds', 'epoch-millis'])
    .default('rfc3339')
    .describe('format of expiries'),
  wsTicket: choice({ ticket: fieldPath('data.ticket', 'the ticket in the response to /auth/ws-ticket') }),
  sessions: choice({
    list: fieldPath('data', 'the list in the response to /auth/sessions'),
    id: fieldPath('id', 'the id of a session'),
    current: fieldPath('current', 'true for the session that sent the request'),
  }),
  apiTokens: choice({
    list: fieldPath('data', 'the list in the response to /api-tokens'),
    id: fieldPath('id', 'the id of an API token'),
    maxPerWallet: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('maximum number of API tokens per wallet; null: unknown'),
  }),
  tokens: choice({
    list: fieldPath('data', 'the list in the response to /tokens'),
    id: fieldPath('id', 'the id of a token'),
    address: fieldPath('address', 'the address of a token'),
    ammTokenProgram: fieldPath('amm_token_program', 'the program of a token in the exchange'),
  }),
  swapsPoolFilter: wireName('pool', 'the query parameter of /swaps that filters by pool'),
  protocolState: choice({
    access: z
      .enum(['public', 'cred'])
      .default('public')
      .describe('whether /protocol/state is public or needs a credential'),
    revision: fieldPath('data.revision', 'the revision in the response to /protocol/state'),
  }),
  route: choice({
    hops: fieldPath('data.hops', 'the hops in the response to /route'),
    protocolRevision: fieldPath('data.protocol_revision', 'the revision that the route is for'),
    amountOut: fieldPath('data.amount_out', 'the output amount of the route'),
    hop: choice({
      pool: fieldPath('pool', 'the pool of a hop'),
      tokenIn: fieldPath('token_in', 'the input token of a hop'),
      tokenOut: fieldPath('token_out', 'the output token of a hop'),
    }),
  }),
  events: choice({
    id: eventPath('data.id', 'the id of a feed event'),
    pool: eventPath('data.pool', 'the pool of an event'),
    address: fieldPath('data.address', 'the wallet address of an event'),
    changes: fieldPath('data.changes', 'the changes in an event about the configuration'),
  }),
  /** The time of an event, on the clock of the Date header of REST responses. */
  eventTime: choice({
    path: eventPath('data.timestamp', 'the time in an event, from which feed delay is measured'),
    format: z
      .enum(['iso8601', 'epoch-seconds', 'epoch-millis'])
      .default('iso8601')
      .describe(
        'format of that time. `iso8601` allows `T` or a space before the time, and an offset of hours and minutes or of hours alone',
      ),
  }),
  faucet: choice({
    path: routePath('/faucet', 'path of the faucet'),
    address: fieldPath('address', 'the request field with the address that claims'),
    access: z.enum(['public', 'cred', 'session']).default('cred').describe('who may use the faucet'),
  }),
  referral: choice({
    redeemPath: routePath('/referral/redeem', 'path that redeems a referral code'),
    code: fieldPath('code', 'the request field with the code'),
    attributionPath: routePath('/referral/attribution', 'path that attributes a referral'),
  }),
  positionsPath: routePath('/positions', 'path of the positions; needs a credential'),
  balancesPath: routePath('/balances', 'path of the balances; needs a credential'),
  publicPaths: z
    .array(z.string().startsWith('/'))
    .default(['/compliance', '/explore/tokens'])
    .describe('additional public paths: below `/explore` and `/compliance`, and those for the aggregator'),
  explorePools,
  rateLimit,
})

export type Choices = z.infer<typeof choicesSchema>

// https://www.rfc-editor.org/rfc/rfc9110#section-5.1: a name is a token. Beyond ASCII, clients disagree about the bytes.
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name; expected letters, digits and hyphens')
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e]*$/, 'not a header value; expected printable ASCII, without control characters')

/** A profile from another person must not send other variables to its own addresses. */
const API_TOKENS_NAME = /^\w*API_TOKENS$/

/** Headers of every request, in a profile or in the environment. */
export const headersSchema = z.record(headerName, headerValue)

const LOGIN =
  'holds a name or password, which may not be in an address; send it in `headers`, from the environment: BREAKWATER_HEADERS'

/** Addresses appear in errors, logs and reports. Follows the URL parser, which drops white space; k6 has no URL. */
const hasNoLogin = (address: string) =>
  !/^[a-z][a-z0-9+.-]*:[\\/]*[^\\/?#]*@/i.test(address.replace(/[^!-\u{10ffff}]/gu, ''))
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' })
  .refine(hasNoLogin, LOGIN)
const wsUrl = z
  .url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' })
  .refine(hasNoLogin, LOGIN)
const CONTROL_ADDRESS = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/[^?#]*)?$/i
const NO_QUERY = [
  (address: string) => !/[?#]/.test(address),
  'expected no query or fragment: paths are appended to the address',
] as const

const credentialsSchema = choice({
  wallets: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'a file with test wallets, `[{address, privateKeyJwk?, hasAccess, admin}]`, relative to the profile. For a target on another machine, its mode must be 0600',
    ),
  signer: httpUrl
    .nullable()
    .default(null)
    .describe(
      'an endpoint that signs for the wallets: it gets a POST with `{address, message}`, and responds with `{signature}` within 10 seconds',
    ),
  apiTokens: choice({
    env: z
      .string()
      .regex(API_TOKENS_NAME, 'expected the name of an environment variable that ends in API_TOKENS')
      .default('BREAKWATER_API_TOKENS')
      .describe(
        'the environment variable that contains API tokens, separated by commas. Its name must end in `API_TOKENS`, so that no profile can send other variables',
      ),
  }),
})

export const profileSchema = z.strictObject({
  name: z.string().min(1).describe('name of the target in reports'),
  baseUrl: httpUrl.refine(...NO_QUERY).describe('address of the REST API; may contain a path'),
  wsUrl: wsUrl.refine(...NO_QUERY).describe('address of the live feed, without `/ws`'),
  control: httpUrl
    // The token from the environment is sent there.
    .refine(
      (address) => CONTROL_ADDRESS.test(address),
      'expected an address of this machine, such as http://127.0.0.1:8082',
    )
    .nullable()
    .default(null)
    .describe(
      'address of a control API on this machine, such as that of the stub. Its token is read from `BREAKWATER_CONTROL_TOKEN`',
    ),
  metrics: httpUrl
    .nullable()
    .default(null)
    .describe(
      'address of the target’s own metrics in the Prometheus text format. `capacity` reads them once per second to explain what limited the target',
    ),
  headers: headersSchema
    .default({})
    .describe(
      'headers for every request and socket, in printable ASCII. Put secret headers into `BREAKWATER_HEADERS` instead',
    ),
  origin: headerValue.min(1).nullable().default(null).describe('the `Origin` header of requests and sockets'),
  ca: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('a file of certificates to trust, in PEM form, relative to the profile'),
  credentials: credentialsSchema,
  choices: choicesSchema,
  allow: choice({
    load: z.boolean().default(false).describe('whether a run may send load to a target on another machine'),
    mutations: z.boolean().default(false).describe('whether a run may change a target on another machine'),
  }),
})

export type Profile = z.infer<typeof profileSchema>

/** Returns the JSON Schema (draft 2020-12) of a target profile. */
export function profileJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(profileSchema, { io: 'input' })
}

const jwkSchema = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

export const walletSchema = z.strictObject({
  address: z.string().min(1),
  privateKeyJwk: jwkSchema.optional(),
  hasAccess: z.boolean(),
  admin: z.boolean(),
})

export const walletsSchema = z.array(walletSchema)

export type Wallet = z.infer<typeof walletSchema>
