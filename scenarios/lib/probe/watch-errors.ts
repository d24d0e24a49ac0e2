import { onlooker } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'
import { check } from '../verdict/check.ts'
import type { Judge } from '../verdict/judge.ts'

/**
 * Looks at the body of every refusal that a probe meets (specification, Errors 1). What may be of a proxy, a gateway or a
 * firewall before the exchange is nobody's violation: a page, a 429, a 502, a 403 to a request that looks like an attack.
 */
type Asked = Pick<RequestSpec, 'method' | 'path' | 'route' | 'query' | 'body'>
type Refused = { status: number; json: unknown; contentType: string; evidence(): string }

type ErrorWatch = {
  look(asked: Asked, reply: Refused): void
  /** What is wrong with bodies seen since the last call. */
  takeFound(): { problem: string; evidence: string }[]
  /** How many bodies it has judged. */
  judged(): number
}

/** Endpoints of which more is stated than that they are there. */
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

/** What else is not found may be an endpoint that is not there, of which the exchange knows nothing. */
const MAY_FIND_NOTHING = [
  'GET /pools/{key}',
  'GET /route',
  'POST /auth/sessions/{session_id}/revoke',
  'DELETE /api-tokens/{id}',
]

/** Statuses that a server sends of its own before it hands a request on, and those of missing endpoints. */
const OF_SERVERS = [405, 406, 407, 408, 411, 413, 414, 415, 417, 421, 426, 429, 431, 451]
/** One internal error, or one body that does not parse, may be of whatever stands in between. */
const ALIKE_MIN = 2

/** Refusals that only the exchange can give, as they depend on its data. A page of HTML may be of a proxy all the same. */
const OF_EXCHANGE = [404, 409, 422]

/** A watch that has seen nothing yet. */
export function createErrorWatch(): ErrorWatch {
  let found: { problem: string; evidence: string }[] = []
  let judged = 0
  const counts = new Map<string, number>()
  const count = (name: string) => {
    const many = (counts.get(name) ?? 0) + 1
    counts.set(name, many)
    return many
  }

  const isJudged = (asked: Asked, { status, json, contentType }: Refused) => {
    const endpoint = endpointOf(asked)
    if (!STATED.includes(endpoint)) return false
    // What does not parse is a page, or was cut on its way: another rule has that. One of its kind may be an accident.
    if (json === undefined) {
      const isOwn = OF_EXCHANGE.includes(status) && !/^text\/html\b/i.test(contentType)
      if (!isOwn || count(`${endpoint} ${status}`) < ALIKE_MIN) return false
    }
    if (status === 500) return count(endpoint) >= ALIKE_MIN
    if (status < 400 || status >= 500 || OF_SERVERS.includes(status)) return false
    if (status === 404) return MAY_FIND_NOTHING.includes(endpoint)
    return status !== 403 || (asked.query === undefined && asked.body === undefined)
  }
  return {
    look(asked, reply) {
      if (reply.status < 400 || !isJudged(asked, reply)) return
      judged++
      const problems = reply.json === undefined ? ['no JSON'] : check('errorBody', reply.json)
      if (problems.length === 0) return
      found.push({
        problem: `${endpointOf(asked)}, ${reply.status}: ${problems.join(', ')}`,
        evidence: reply.evidence(),
      })
    },
    takeFound() {
      const taken = found
      found = []
      return taken
    },
    judged: () => judged,
  }
}

function endpointOf({ method, path, route }: Asked): string {
  return `${method} ${route ?? path}`
}

/** The watch of this VU. It sees what comes once it is begun. */
export const errorWatch = createErrorWatch()

const RULE = 'wire.error.body-shape'

/** From here on it looks at every refusal, after whoever looks on already. */
export function watchErrors(): void {
  const { look } = onlooker
  onlooker.look = (target, spec, reply) => {
    look?.(target, spec, reply)
    errorWatch.look(spec, reply)
  }
}

/** What judges that bodies of errors were none: any probe may come upon one. Undefined if nothing was found. */
export function errorBodiesSeen() {
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
