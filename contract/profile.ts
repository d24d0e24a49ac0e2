/**
 * The target profile: the address of a target, how to sign in, and its choices for what the specification leaves open.
 * A public format (docs/reference/profile.md) with stable names. Every choice has a default.
 */
import { z } from 'zod'

/** A dotted path into a JSON body, such as `data.csrf_token`; null if unknown. */
const fieldPath = (name: string, what: string) => z.string().min(1).nullable().default(name).describe(what)
const routePath = (path: string, what: string) =>
  z.string().startsWith('/').nullable().default(path).describe(what)
const wireName = (name: string, what: string) => z.string().min(1).nullable().default(name).describe(what)
/** An object of choices that consists of defaults if left out. */
const choice = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

const signature = choice({
  scheme: z
    .string()
    .default('ecdsa-p256-sha256')
    .describe('this one is signed by the scenarios, with the key of the wallet; any other by the signer'),
  encoding: z
    .enum(['hex', 'base64', 'base64url'])
    .default('hex')
    .describe('how a signature is spelt: r and s, 32 bytes each'),
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
      'sort fields: the field of a row, how to compare it (`number`, `text` by code points, `time`), and whether its rows keep their place between requests',
    ),
  rejects: z
    .array(z.string())
    .default(['+5', '1e2', '-1'])
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
  .describe('`{burst, perSecond, per}`, per `credential` or `address`; null: the limit is not provoked')

export const choicesSchema = choice({
  signature,
  verify: choice({
    address: fieldPath('data.address', 'the address, in the response to verify'),
    accessExpiresAt: fieldPath('data.access_expires_at', 'when the access session expires, there'),
    csrfToken: fieldPath('data.csrf_token', 'the CSRF token, there'),
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
    .describe('how expiries are written'),
  wsTicket: choice({ ticket: fieldPath('data.ticket', 'the ticket for the feed') }),
  sessions: choice({
    list: fieldPath('data', 'the sessions, in the response that lists them'),
    id: fieldPath('id', 'the id of one'),
    current: fieldPath('current', 'whether it is the session of this request'),
  }),
  apiTokens: choice({
    list: fieldPath('data', 'the API tokens, in the response that lists them'),
    id: fieldPath('id', 'the id of one'),
    maxPerWallet: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('how many a wallet may have; null: unknown'),
  }),
  tokens: choice({
    list: fieldPath('data', 'the tokens, in the response that lists them'),
    id: fieldPath('id', 'the id of one'),
    address: fieldPath('address', 'its address'),
    ammTokenProgram: fieldPath('amm_token_program', 'its program in the exchange'),
  }),
  swapsPoolFilter: wireName('pool', 'the query parameter of /swaps that filters by pool'),
  protocolState: choice({
    access: z
      .enum(['public', 'cred'])
      .default('public')
      .describe('whether /protocol/state takes a credential'),
    revision: fieldPath('data.revision', 'the revision, in its response'),
  }),
  route: choice({
    hops: fieldPath('data.hops', 'the hops, in the response to a route request'),
    protocolRevision: fieldPath('data.protocol_revision', 'the revision it is for'),
    amountOut: fieldPath('data.amount_out', 'the amount that comes out'),
    hop: choice({
      pool: fieldPath('pool', 'the pool of a hop'),
      tokenIn: fieldPath('token_in', 'the token that goes in'),
      tokenOut: fieldPath('token_out', 'the token that comes out'),
    }),
  }),
  events: choice({
    id: fieldPath('data.id', 'the id of an event on the feed'),
    pool: fieldPath('data.pool', 'the pool that it is about'),
    address: fieldPath('data.address', 'the address that it is about'),
    changes: fieldPath('data.changes', 'what has changed, of a configuration'),
  }),
  /** The time of an event, on the clock of the Date header of REST responses. */
  eventTime: choice({
    path: fieldPath('data.timestamp', 'the time in an event; feed delay is measured from it'),
    format: z
      .enum(['iso8601', 'epoch-seconds', 'epoch-millis'])
      .default('iso8601')
      .describe('`iso8601`: `T` or a space between, an offset of hours and minutes or of hours alone'),
  }),
  faucet: choice({
    path: routePath('/faucet', 'its path'),
    address: fieldPath('address', 'the field that takes the address'),
    access: z.enum(['public', 'cred', 'session']).default('cred').describe('who may use it'),
  }),
  referral: choice({
    redeemPath: routePath('/referral/redeem', 'path of the redemption'),
    code: fieldPath('code', 'the field of a request that holds the code'),
    attributionPath: routePath('/referral/attribution', 'path of the attribution'),
  }),
  positionsPath: routePath('/positions', 'a path that takes a credential'),
  balancesPath: routePath('/balances', 'a path that takes a credential'),
  publicPaths: z
    .array(z.string().startsWith('/'))
    .default(['/compliance', '/explore/tokens'])
    .describe(
      'further paths that are open to everybody: of `/explore`, of `/compliance`, and, whatever their prefix, those for the aggregator',
    ),
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
      'a file `[{address, privateKeyJwk?, hasAccess, admin}]`, relative to the profile; mode 0600 for a target elsewhere',
    ),
  signer: httpUrl
    .nullable()
    .default(null)
    .describe(
      'an endpoint that signs: POST `{address, message}`, responds with `{signature}` within 10 seconds',
    ),
  apiTokens: choice({
    env: z
      .string()
      .regex(API_TOKENS_NAME, 'expected the name of an environment variable that ends in API_TOKENS')
      .default('BREAKWATER_API_TOKENS')
      .describe(
        'the environment variable that holds API tokens, comma separated; its name ends in `API_TOKENS`, so that no profile can send other variables',
      ),
  }),
})

export const profileSchema = z.strictObject({
  name: z.string().min(1).describe('of the target, as reports show it'),
  baseUrl: httpUrl.refine(...NO_QUERY).describe('of the REST interface; may carry a path'),
  wsUrl: wsUrl.refine(...NO_QUERY).describe('of the live feed: the part before `/ws`'),
  control: httpUrl
    // The token from the environment is sent there.
    .refine(
      (address) => CONTROL_ADDRESS.test(address),
      'expected an address of this machine, such as http://127.0.0.1:8082',
    )
    .nullable()
    .default(null)
    .describe(
      'a control API on this machine, as the stub has one; its token is read from `BREAKWATER_CONTROL_TOKEN`',
    ),
  metrics: httpUrl
    .nullable()
    .default(null)
    .describe(
      'metrics of the target itself, in the Prometheus text format: `capacity` reads them once per second to explain what limited the target',
    ),
  headers: headersSchema
    .default({})
    .describe(
      'sent with every request and socket; printable ASCII. Secret ones come from the environment, as a JSON object in `BREAKWATER_HEADERS`',
    ),
  origin: headerValue.min(1).nullable().default(null).describe('the header Origin, sent likewise'),
  ca: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('a file of certificates to trust, in PEM form, relative to the profile'),
  credentials: credentialsSchema,
  choices: choicesSchema,
  allow: choice({
    load: z.boolean().default(false).describe('whether a target off this machine takes a load'),
    mutations: z.boolean().default(false).describe('whether it may be changed: sessions, API tokens'),
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
