import { pick } from '../pick.ts'
import { replyObserver } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import { check } from '../verdict/check.ts'
import type { Judge } from '../verdict/judge.ts'

/**
 * Checks the body of every rejection that a probe receives (specification, Errors 1). Skips responses that
 * may come from a proxy, gateway or firewall in front of the exchange: a page, a 429, a 502, or a 403 to a
 * request that looks like an attack.
 */
type SentSpec = Pick<RequestSpec, 'method' | 'path' | 'route' | 'query' | 'body'>
type Refused = { status: number; json: unknown; contentType: string; evidence(): string }

type ErrorWatch = {
  check(spec: SentSpec, reply: Refused): void
  /**
   * Checks rejections in JSON that `check` skips, because they may be a firewall's. The exchange has accepted the same body with
   * another credential, or from another wallet, so these are its own; so is a 429 with a field of an error body. At least two must
   * be alike.
   */
  checkTwins(spec: SentSpec, replies: readonly Refused[]): void
  /** Returns the problems found since the last call. */
  takeFound(): { problem: string; evidence: string }[]
  /** Number of bodies checked. */
  judged(): number
}

/** Endpoints whose behavior the specification defines. */
const STATED = [
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

/** Endpoints for which a 404 is a valid result. Elsewhere it may mean that the endpoint does not exist. */
const MAY_FIND_NOTHING = [
  'GET /pools/{key}',
  'GET /route',
  'POST /auth/sessions/{session_id}/revoke',
  'DELETE /api-tokens/{id}',
]

/** Statuses that servers send before routing a request, or for missing endpoints. */
const OF_SERVERS = [405, 406, 407, 408, 411, 413, 414, 415, 417, 421, 426, 429, 431, 451]
/** One internal error, or one body that does not parse, may come from a proxy. */
const ALIKE_MIN = 2

/** Rejections that only the exchange can give, because they depend on its data. An HTML page may still come from a proxy. */
const OF_EXCHANGE = [404, 409, 410, 422]

export function createErrorWatch(): ErrorWatch {
  let found: { problem: string; evidence: string }[] = []
  let judged = 0
  const counts = new Map<string, number>()
  const count = (name: string) => {
    const many = (counts.get(name) ?? 0) + 1
    counts.set(name, many)
    return many
  }

  const isJudged = (spec: SentSpec, { status, json, contentType }: Refused) => {
    const endpoint = formatEndpoint(spec)
    if (!STATED.includes(endpoint)) return false
    // Bodies that do not parse are pages or truncated; another rule covers them. A single one may be an accident.
    if (json === undefined) {
      const isOwn = OF_EXCHANGE.includes(status) && !isPage({ contentType })
      if (!isOwn || count(`${endpoint} ${status}`) < ALIKE_MIN) return false
    }
    if (status === 500) return count(endpoint) >= ALIKE_MIN
    if (!isRejection({ status })) return false
    if (status === 404) return MAY_FIND_NOTHING.includes(endpoint)
    return status !== 403 || (spec.query === undefined && spec.body === undefined)
  }
  const checkBody = (spec: SentSpec, reply: Refused) => {
    judged++
    const problems = listProblems(reply)
    if (problems.length === 0) return
    found.push({
      problem: `${formatEndpoint(spec)}, ${reply.status}: ${problems.join(', ')}`,
      evidence: reply.evidence(),
    })
  }
  return {
    check(spec, reply) {
      if (reply.status >= 400 && isJudged(spec, reply)) checkBody(spec, reply)
    },
    checkTwins(spec, replies) {
      const rejected = replies.filter(
        (reply) => (isRejection(reply) && reply.json !== undefined) || isOwnLimit(reply),
      )
      const wrong = rejected.filter((reply) => listProblems(reply).length > 0)
      const [first] = rejected
      if (first && rejected.length >= ALIKE_MIN && [0, rejected.length].includes(wrong.length))
        checkBody(spec, first)
    },
    takeFound() {
      const taken = found
      found = []
      return taken
    },
    judged: () => judged,
  }
}

function isRejection({ status }: Pick<Refused, 'status'>): boolean {
  return status >= 400 && status < 500 && !OF_SERVERS.includes(status)
}

/** A gateway's 429 in JSON has other fields, such as `message`. */
function isOwnLimit({ status, json }: Refused): boolean {
  return status === 429 && ['error', 'code', 'ref'].some((name) => pick(json, name) !== undefined)
}

function isPage({ contentType }: Pick<Refused, 'contentType'>): boolean {
  return /^text\/html\b/i.test(contentType)
}

function listProblems({ json }: Pick<Refused, 'json'>): string[] {
  return json === undefined ? ['no JSON'] : check('errorBody', json)
}

function formatEndpoint({ method, path, route }: SentSpec): string {
  return `${method} ${route ?? path}`
}

/** The watch of this VU. */
export const errorWatch = createErrorWatch()

const RULE = 'wire.error.body-shape'

/** Chains onto the existing onlooker. */
export function watchErrors(): void {
  const { check } = replyObserver
  replyObserver.check = (target, spec, reply) => {
    check?.(target, spec, reply)
    errorWatch.check(spec, reply)
  }
}

/** Builds the probe that reports malformed error bodies; returns undefined without any. */
export function buildErrorBodyProbe() {
  const found = errorWatch.takeFound()
  if (found.length === 0) return undefined
  const problems = [...new Set(found.map(({ problem }) => problem))].join('; ')
  const evidence = found.slice(0, 3).map((one) => one.evidence)
  return {
    rules: [RULE],
    world: 'main' as const,
    run: async (_target: unknown, judge: Judge) => judge.fail(RULE, problems, evidence),
  }
}
