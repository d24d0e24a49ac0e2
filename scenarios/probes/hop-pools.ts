import type { Target } from '../../contract/scenario-config.ts'
import type { Market } from '../lib/market/market.ts'
import { listEvidence, type RouteReply } from '../lib/market/request-route.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { confirmMissing } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

/** One proves it, and looking for each takes five seconds. */
const UNKNOWN_MAX = 3

/**
 * Fails the rule if hops name a pool that is not there, while another pool that hops name is: without one, the path in the
 * profile may hold something else than keys.
 */
export async function judgeHopPools(
  target: Target,
  judge: Judge,
  { rule, found, market }: { rule: string; found: readonly RouteReply[]; market: Market },
): Promise<void> {
  const { hops, hop } = target.profile.choices.route
  const routes = new Map<string, RouteReply>()
  for (const one of found)
    for (const row of pickRows(one.reply.json, hops) ?? []) {
      const key = hop.pool === null ? undefined : pickText(row, hop.pool)
      if (key !== undefined && !routes.has(key)) routes.set(key, one)
    }
  const known = [...routes.keys()].find((key) => market.poolKeys.has(key))
  const unknown = [...routes].filter(([key]) => !market.poolKeys.has(key))
  if (known === undefined) return
  for (const [key, route] of unknown.slice(0, UNKNOWN_MAX)) {
    const { state, explanation } = await confirmMissing({
      // The status of an unknown key is open.
      check: async () => (isClientError(await readPool(target, key)) ? 'missing' : 'found'),
      isListed: async () => isSuccess(await readPool(target, known)),
    })
    if (state === 'missing')
      return judge.fail(rule, `a hop names a pool that is not there: ${explanation}`, listEvidence([route]))
  }
}

function readPool(target: Target, key: string): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(key)}`
  return request(target, { method: 'GET', path, route: '/pools/{key}' })
}
