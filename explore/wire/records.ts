/** Successful bodies: the records of the endpoints whose response is specified (Resources; Wire conventions). */
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
