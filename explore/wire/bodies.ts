/**
 * Bodies. Successful ones: the records of the endpoints whose response is specified (Resources; Wire conventions). Of rejections, the
 * shape of errors (Errors 1).
 */
import { z } from 'zod'
import { at } from '../../client/exchange.ts'
import {
  accessStatusBodySchema,
  challengeBodySchema,
  codeInventorySchema,
  referralStatusBodySchema,
} from '../../contract/schemas/access.ts'
import { explorePoolsPageSchema, poolBodySchema, poolsPageSchema } from '../../contract/schemas/pools.ts'
import { swapsPageSchema, unclaimedBodySchema } from '../../contract/schemas/portfolio.ts'
import { feeTiersBodySchema, tradingSchemaBodySchema } from '../../contract/schemas/protocol.ts'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { validate } from '../../contract/validate.ts'
import type { Exchanged, Problem } from './endpoint.ts'

type Part = {
  rule: string
  schema: z.ZodType
  /** Selects the problems that the rule is about. */
  concerns?: RegExp
  /** Excludes those of another rule, and those in parts that the specification does not define. */
  elsewhere?: RegExp
}

const DATA = /^data/
const TOKEN_INFO = /_info\b/
const tokenInfo = (schema: z.ZodType): Part => ({
  rule: 'wire.token-info.record',
  schema,
  concerns: TOKEN_INFO,
})

const RECORDS: Readonly<Record<string, readonly Part[]>> = {
  'GET /pools': [{ rule: 'wire.pools.record', schema: poolsPageSchema }],
  'GET /pools/{key}': [{ rule: 'wire.pool.record', schema: poolBodySchema }],
  'GET /explore/pools': [
    { rule: 'wire.explore-pools.record', schema: explorePoolsPageSchema },
    { rule: 'wire.explore-pools.valuation', schema: explorePoolsPageSchema, concerns: /^valuation/ },
  ],
  'GET /tokens': [],
  'GET /swaps': [
    { rule: 'wire.swaps.record', schema: swapsPageSchema, elsewhere: TOKEN_INFO },
    tokenInfo(swapsPageSchema),
  ],
  'GET /unclaimed': [
    { rule: 'wire.unclaimed.record', schema: unclaimedBodySchema, elsewhere: TOKEN_INFO },
    tokenInfo(unclaimedBodySchema),
  ],
  'GET /fee-tiers': [{ rule: 'wire.fee-tiers.record', schema: feeTiersBodySchema }],
  'GET /schema/trading': [
    { rule: 'wire.schema-trading.record', schema: tradingSchemaBodySchema, elsewhere: /\.fields\b/ },
  ],
  'GET /access/status': [{ rule: 'referral.access.record', schema: accessStatusBodySchema }],
  'GET /referral/status': [{ rule: 'referral.status.record', schema: referralStatusBodySchema }],
  'GET /referral/codes': [{ rule: 'admin.codes.record', schema: codeInventorySchema }],
  'GET /auth/ws-ticket': [],
  'POST /auth/challenge': [{ rule: 'auth.challenge.shape', schema: challengeBodySchema }],
}

const PAGED: readonly string[] = ['GET /pools', 'GET /explore/pools', 'GET /swaps']
const pageSchema = z.object({ pagination: swapsPageSchema.shape.pagination })

/** Returns nothing for endpoints whose body is open, and for bodies that did not parse: these may have been cut in transit. */
export function findRecordProblems({ endpoint, request, reply: { status, body } }: Exchanged): Problem[] {
  const parts = RECORDS[endpoint]
  if (parts === undefined || status < 200 || status > 299 || body === undefined) return []
  if (endpoint.startsWith('GET ') && at(body, 'data') === undefined)
    return [{ rule: 'wire.success.payload-in-data', problem: 'no `data`' }]
  return [
    ...parts.flatMap((part) => listProblems(part, body)),
    ...(PAGED.includes(endpoint)
      ? listProblems({ rule: 'paging.pagination.fields', schema: pageSchema, concerns: /^pagination/ }, body)
      : []),
    ...(endpoint === 'GET /pools/{key}' ? findOtherKey(request.path, body) : []),
  ]
}

/** True if the body of a success is specified, so that it must parse. */
export function isSpecified(endpoint: string): boolean {
  return endpoint.startsWith('GET ') && endpoint in RECORDS
}

function listProblems({ rule, schema, concerns = DATA, elsewhere }: Part, body: unknown): Problem[] {
  const { problems } = validate(schema, body)
  return (problems ?? [])
    .filter((problem) => concerns.test(problem) && !elsewhere?.test(problem))
    .map((problem) => ({ rule, problem }))
}

function findOtherKey(path: string, body: unknown): Problem[] {
  const requested = decodeURIComponent(path.slice('/pools/'.length))
  const served = at(body, 'data.key')
  if (typeof served !== 'string' || served === requested) return []
  return [{ rule: 'paging.key.round-trip', problem: `requested ${requested}, got the record of ${served}` }]
}

/** For endpoints whose behavior is specified. */
const SPECIFIED: readonly string[] = [
  'GET /explore/pools',
  'GET /pools',
  'GET /pools/{key}',
  'GET /tokens',
  'POST /auth/challenge',
  'POST /auth/verify',
  'POST /auth/refresh',
  'POST /auth/logout',
  'POST /auth/logout-all',
  'GET /auth/ws-ticket',
  'GET /auth/sessions',
  'POST /auth/sessions/{session_id}/revoke',
  'GET /api-tokens',
  'POST /api-tokens',
  'DELETE /api-tokens/{id}',
  'GET /swaps',
  'GET /unclaimed',
  'GET /fee-tiers',
  'GET /schema/trading',
  'GET /route',
  'GET /access/status',
  'GET /referral/status',
  'POST /tokens/mint',
  'GET /referral/codes',
]

/** Elsewhere a 404 may mean that the endpoint does not exist. */
const MAY_FIND_NOTHING: readonly string[] = [
  'GET /pools/{key}',
  'GET /route',
  'POST /auth/sessions/{session_id}/revoke',
  'DELETE /api-tokens/{id}',
]

/** Only the exchange can give these, because they depend on its data. */
const OF_EXCHANGE: readonly number[] = [404, 409, 422]
/** Servers send these before they route a request. */
const OF_SERVERS: readonly number[] = [405, 406, 407, 408, 411, 413, 414, 415, 417, 421, 426, 429, 431, 451]
/** One error, or one body that does not parse, may come from a proxy. */
const ALIKE_MIN = 2

export type ErrorCheck = (exchanged: Exchanged) => Problem[]

/**
 * Counts alike responses of a run. Skips what may come from a proxy, gateway or firewall in front of the exchange: a page, a 429, a 5xx
 * other than 500, or a 403 to a request with parameters.
 */
export function createErrorCheck(): ErrorCheck {
  const counts = new Map<string, number>()
  const count = (name: string) => {
    const many = (counts.get(name) ?? 0) + 1
    counts.set(name, many)
    return many
  }
  const isJudged = ({ endpoint, request, reply: { status, body, raw } }: Exchanged): boolean => {
    if (!SPECIFIED.includes(endpoint)) return false
    if (body === undefined) {
      const isPage = /^text\/html\b/i.test(raw?.headers['content-type'] ?? '')
      const isOwn = raw !== undefined && OF_EXCHANGE.includes(status) && !isPage
      if (!isOwn || count(`${endpoint} ${status}`) < ALIKE_MIN) return false
    }
    if (status === 500) return count(endpoint) >= ALIKE_MIN
    if (status < 400 || status > 499 || OF_SERVERS.includes(status)) return false
    if (status === 404) return MAY_FIND_NOTHING.includes(endpoint)
    return status !== 403 || (request.body === undefined && !request.path.includes('?'))
  }
  return (exchanged) => {
    const { status, body } = exchanged.reply
    if (status < 400 || !isJudged(exchanged)) return []
    const problems = body === undefined ? ['no JSON'] : (validate(errorBodySchema, body).problems ?? [])
    return problems.map((problem) => ({ rule: 'wire.error.body-shape', problem: `${status}: ${problem}` }))
  }
}
