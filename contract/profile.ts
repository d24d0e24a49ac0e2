/**
 * The target profile: where a target is, how to sign in, and its answers to what the specification leaves open.
 * A public format (docs/profile.md): names stay. Every choice has a default.
 */
import { z } from 'zod'

/** A dotted path into a JSON body, such as `data.csrf_token`; null where the target does not tell. */
const fieldPath = (name: string) => z.string().min(1).nullable().default(name)
const routePath = (path: string) => z.string().startsWith('/').nullable().default(path)
const wireName = (name: string) => z.string().min(1).nullable().default(name)
/** An object of choices: left out whole, it is its own defaults. */
const choice = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

const signature = choice({
  scheme: z.string().default('ecdsa-p256-sha256'),
  encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
})

const sortField = z.strictObject({
  field: z.string().min(1),
  compare: z.enum(['number', 'text', 'time']),
  /** Rows under this sort neither move nor vanish while a client pages. */
  stable: z.boolean(),
})

const explorePools = choice({
  sort: z.record(z.string(), sortField).default({
    created: { field: 'createdAt', compare: 'time', stable: true },
    tvl: { field: 'tvlUsd', compare: 'number', stable: false },
  }),
  refuses: z.array(z.string()).default(['+5', '1e2', '-1']),
})

const rateLimit = z
  .strictObject({
    burst: z.int().positive(),
    perSecond: z.number().positive(),
    per: z.enum(['credential', 'address']),
  })
  .nullable()
  .default(null)

export const choicesSchema = choice({
  signature,
  verify: choice({
    address: fieldPath('data.address'),
    accessExpiresAt: fieldPath('data.access_expires_at'),
    csrfToken: fieldPath('data.csrf_token'),
  }),
  cookies: choice({ access: wireName('access'), refresh: wireName('refresh') }),
  refresh: choice({ graceSeconds: z.number().nonnegative().nullable().default(10) }),
  expiry: z.enum(['rfc3339', 'epoch-seconds', 'epoch-millis']).default('rfc3339'),
  wsTicket: choice({ ticket: fieldPath('data.ticket') }),
  sessions: choice({ list: fieldPath('data'), id: fieldPath('id'), current: fieldPath('current') }),
  apiTokens: choice({
    list: fieldPath('data'),
    id: fieldPath('id'),
    maxPerWallet: z.int().positive().nullable().default(null),
  }),
  tokens: choice({
    list: fieldPath('data'),
    id: fieldPath('id'),
    address: fieldPath('address'),
    ammTokenProgram: fieldPath('amm_token_program'),
  }),
  swapsPoolFilter: wireName('pool'),
  protocolState: choice({
    access: z.enum(['public', 'cred']).default('public'),
    revision: fieldPath('data.revision'),
  }),
  route: choice({
    hops: fieldPath('data.hops'),
    protocolRevision: fieldPath('data.protocol_revision'),
    amountOut: fieldPath('data.amount_out'),
    hop: choice({
      pool: fieldPath('pool'),
      tokenIn: fieldPath('token_in'),
      tokenOut: fieldPath('token_out'),
    }),
  }),
  events: choice({
    id: fieldPath('data.id'),
    pool: fieldPath('data.pool'),
    address: fieldPath('data.address'),
    changes: fieldPath('data.changes'),
  }),
  /** When what an event tells came to be, by the clock that the header Date of REST answers tells. */
  eventTime: choice({
    path: fieldPath('data.timestamp'),
    format: z.enum(['iso8601', 'epoch-seconds', 'epoch-millis']).default('iso8601'),
  }),
  faucet: choice({
    path: routePath('/faucet'),
    address: fieldPath('address'),
    access: z.enum(['public', 'cred', 'session']).default('cred'),
  }),
  referral: choice({
    redeemPath: routePath('/referral/redeem'),
    code: fieldPath('code'),
    attributionPath: routePath('/referral/attribution'),
  }),
  positionsPath: routePath('/positions'),
  balancesPath: routePath('/balances'),
  publicPaths: z.array(z.string().startsWith('/')).default(['/compliance', '/explore/tokens']),
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

const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' })
const wsUrl = z.url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' })

const credentialsSchema = choice({
  /** A file beside the profile: [{address, privateKeyJwk?, hasAccess, admin}]. */
  wallets: z.string().min(1).nullable().default(null),
  signer: httpUrl.nullable().default(null),
  apiTokens: z.strictObject({ env: z.string().min(1) }).prefault({ env: 'BREAKWATER_API_TOKENS' }),
})

export const profileSchema = z.strictObject({
  name: z.string().min(1),
  baseUrl: httpUrl,
  wsUrl,
  control: httpUrl.nullable().default(null),
  /** Where the target tells of itself, in the text format of Prometheus. */
  metrics: httpUrl.nullable().default(null),
  headers: z.record(headerName, headerValue).default({}),
  origin: headerValue.min(1).nullable().default(null),
  ca: z.string().min(1).nullable().default(null),
  credentials: credentialsSchema,
  choices: choicesSchema,
  allow: choice({ load: z.boolean().default(false), mutations: z.boolean().default(false) }),
})

export type Profile = z.infer<typeof profileSchema>

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
