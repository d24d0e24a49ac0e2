import { STATUS_CODES } from 'node:http'
import type { SwaggerTransform } from '@fastify/swagger'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import { INTERFACE_VERSION } from '../../../contract/limits.ts'
import {
  candleSchema,
  liquidityRangeSchema,
  observationSchema,
  poolStatsSchema,
  tradeSchema,
  windowStatsSchema,
} from '../../../contract/schemas/market.ts'
import {
  explorePoolSchema,
  exploreTokenSchema,
  exploreTransactionSchema,
  poolSchema,
  valuationSchema,
} from '../../../contract/schemas/pools.ts'
import {
  balanceSchema,
  owedPositionSchema,
  pendingSwapSchema,
  positionSchema,
  swapSchema,
} from '../../../contract/schemas/portfolio.ts'
import { errorBodySchema, paginationSchema, tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import { type AccessLevel, READING_METHODS } from '../access/access.ts'

export const TAGS = {
  auth: 'Sign-in, sessions, tickets for the live feed',
  'api-tokens': 'Credentials for backends, bots and command lines',
  referral: 'Access and referral codes',
  pools: 'Pools and their history',
  positions: 'The wallet’s assets',
  tokens: 'The token registry',
  explore: 'Data for a market page',
  compliance: 'Allowlist, pause, pool creation',
  protocol: 'Protocol configuration, and how to call the programs',
  route: 'Routes and quotes',
  unclaimed: 'Outstanding settlement',
  'aggregator integration': 'For a market-data aggregator',
  airdrop: 'The faucet',
  debug: 'On-chain introspection',
  operations: 'For operators of the exchange',
} as const

type Tag = keyof typeof TAGS

/** A choice may place a path. Throws RangeError for a path without a group. */
function findTag(path: string, { profile, paths, aggregator, debug }: Choices): Tag {
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

/** Named schemas of the OpenAPI document; those of the specification's resources are unchanged. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Error: errorBodySchema,
  Pagination: paginationSchema,
  TokenInfo: tokenInfoSchema,
  Pool: poolSchema,
  ExplorePool: explorePoolSchema,
  UsdcUsdQuote: valuationSchema,
  ExploreToken: exploreTokenSchema,
  ExploreTransaction: exploreTransactionSchema,
  PoolStats: poolStatsSchema,
  WindowStats: windowStatsSchema,
  Candle: candleSchema,
  Trade: tradeSchema,
  LiquidityRange: liquidityRangeSchema,
  OracleObservation: observationSchema,
  Swap: swapSchema,
  PendingSwap: pendingSwapSchema,
  OwedPosition: owedPositionSchema,
  Position: positionSchema,
  Balance: balanceSchema,
}

/** Uses zod's global registry, from which the plugin takes names; call it before a document is generated. */
function nameComponents(): void {
  for (const [id, schema] of Object.entries(COMPONENTS))
    z.globalRegistry.add(schema, { ...schema.meta(), id })
}

type Requirement = { [scheme: string]: string[] }

const ACCESS_TEXTS: Record<AccessLevel, string> = {
  public: 'Access: public.',
  cred: 'Access: session or API token.',
  session: 'Access: browser session only.',
  admin: 'Access: browser session of an administrator only.',
}

/** Either one authorizes a request; changes with a session also need its CSRF token. */
function describeSecurity(access: AccessLevel, method: string): Requirement[] {
  const session: Requirement = { session: [], ...(!READING_METHODS.has(method) && { csrfToken: [] }) }
  if (access === 'public') return []
  return access === 'cred' ? [session, { apiToken: [] }] : [session]
}

function securitySchemes({
  profile: { cookies },
}: Choices): Record<string, OpenAPIV3_1.SecuritySchemeObject> {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookies.access,
      description: 'The access cookie, which `POST /auth/verify` sets',
    },
    refreshToken: {
      type: 'apiKey',
      in: 'cookie',
      name: cookies.refresh,
      description: 'The refresh cookie, which comes with the access cookie',
    },
    csrfToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description:
        'Returned in the body of the response that sets the cookies; required on each request of a session that changes something',
    },
    apiToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API token, which `POST /api-tokens` creates',
    },
  }
}

/**
 * Describes routes registered after this call: later `app.swagger()` returns the OpenAPI 3.1 document of their schemas, which
 * finishDocument completes. https://spec.openapis.org/oas/v3.1.1.html
 */
export async function describeRoutes(app: FastifyInstance, choices: Choices): Promise<void> {
  nameComponents()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Exchange trading interface', version: INTERFACE_VERSION, description: DESCRIPTION },
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: securitySchemes(choices) },
    },
    convertConstToEnum: false,
    transform: describeRoute(choices),
    transformObject: createJsonSchemaTransformObject({}),
  })
}

const DESCRIPTION = [
  'REST interface of an on-chain token exchange with concentrated liquidity, as the stub serves it; the live feed has its own document.',
  'Exact values are strings. Numbers in a query are plain digits: no sign, no exponent, no leading zeros.',
  'To page, raise `offset` until `data` is empty. An error has `error`, usually `code`, and `ref`, which identifies it in the log.',
].join('\n')

function describeRoute(choices: Choices): SwaggerTransform {
  return (given) => {
    const { schema, url } = toJsonSchema(given)
    if (schema.hide) return { schema, url }
    const method = [given.route.method].flat()[0] ?? 'GET'
    const access = given.route.config?.access ?? 'session'
    const described = schema.description === undefined ? [] : [schema.description]
    const own: FastifySchema = {
      tags: [findTag(url, choices)],
      operationId: operationId(method, url),
      description: [...described, ACCESS_TEXTS[access]].join('\n\n'),
      security: schema.security ?? describeSecurity(access, method),
      response: describeResponses((schema.response ?? {}) as Responses, choices),
    }
    return { schema: { ...schema, ...own, 'x-access': access }, url }
  }
}

/** Adds input defaults that zod omits for transformed values. */
const toJsonSchema = createJsonSchemaTransform({
  zodToJsonConfig: {
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      if (def.type === 'default' && typeof def.defaultValue === 'number')
        jsonSchema.default = def.defaultValue
    },
  },
})

/** `GET /pools/:key/trades` is `getPoolsKeyTrades`. */
function operationId(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

type JsonSchema = {
  description?: string
  examples?: { code?: string | null }[]
  headers?: object
  [key: string]: unknown
}
type Responses = Record<string, JsonSchema>

/**
 * Completes the plugin's responses: exact statuses with HTTP reason phrases, one error schema, errors in JSON whatever the type
 * of a success, and an example for each code.
 */
function describeResponses(responses: Responses, { createdStatus, extraFields }: Choices): Responses {
  const isOpen = Object.keys(extraFields).length > 0
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const exact = status === '2XX' || status === '2xx' ? String(createdStatus) : status
      return [exact, Number(exact) >= 400 ? errorResponse(schema) : success(exact, schema, isOpen)]
    }),
  )
}

function success(status: string, schema: JsonSchema, isOpen: boolean): JsonSchema {
  const { additionalProperties: _closed, ...open } = schema
  return { 'x-response-description': STATUS_CODES[status] ?? status, ...(isOpen ? open : schema) }
}

function errorResponse({ description = '', examples = [], headers }: JsonSchema): JsonSchema {
  const named = examples.map((value, index) => [value.code ?? `error${index + 1}`, { value }] as const)
  const media = { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(named) }
  return { description, content: { 'application/json': media }, ...(headers && { headers }) }
}
