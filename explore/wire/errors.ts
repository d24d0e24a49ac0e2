/**
 * Bodies of rejections (Errors 1). Skips what may come from a proxy, gateway or firewall in front of the exchange: a page, a
 * 429, a 5xx other than 500, or a 403 to a request with parameters.
 */
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { validate } from '../../contract/validate.ts'
import type { Exchanged, Problem } from './endpoint.ts'

/** Endpoints whose behavior is specified. */
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

/** Counts alike responses of a run. */
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
