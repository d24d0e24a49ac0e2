import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Market } from '../lib/market/market.ts'
import { listEvidence, type RouteReply, requestRoute } from '../lib/market/request-route.ts'
import type { Pair } from '../lib/market/routes.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { confirm, confirmMissing } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

/** One proves it, and looking for each takes five seconds. */
const UNKNOWN_MAX = 3
/** Explore rows may be wrong for some pools, so that routes are right which seem not to connect. */
const SUSPECTS_MAX = 3

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

/**
 * Fails the rule if the pools of a route, in whatever order, do not connect its two tokens. Explore rows only select the routes
 * to check: a pool counts if its own record names the same tokens, so that a wrong row is not blamed on the route.
 */
export async function judgeConnected(
  target: Target,
  judge: Judge,
  options: { rule: string; found: readonly RouteReply[]; market: Market; credential: Credential },
): Promise<void> {
  const { rule, found, market, credential } = options
  const records = new Map<string, Promise<Reply>>()
  const readRecord = (key: string) => {
    const record = records.get(key) ?? readPool(target, key)
    records.set(key, record)
    return record
  }
  // Another rule covers routes with too many hops.
  const suspects = found.filter(({ reply, pair }) => {
    const keys = listHopKeys(target, reply)
    return keys.length <= LIMITS.routeHopsMax && isApart(listHopTokens(keys, market), pair)
  })
  for (const suspect of suspects.slice(0, SUSPECTS_MAX)) {
    const { pair, amountIn } = suspect
    const isWrong = async (reply: Reply) => {
      const keys = listHopKeys(target, reply)
      const tokens = listHopTokens(keys, market)
      if (!isApart(tokens, pair)) return false
      for (const [index, key] of keys.entries())
        if (!isPoolOf(await readRecord(key), tokens?.[index])) return false
      return true
    }
    const { outcome, explanation } = await confirm({
      first: await isWrong(suspect.reply),
      describeError: (wrong) => (wrong ? 'its pools do not connect its tokens' : undefined),
      again: async () => isWrong(await requestRoute(target, { pair, amountIn, credential })),
      witness: async () => ({ served: true, explanation: '/route is served' }),
    })
    if (outcome === 'persistent') return judge.fail(rule, `a route: ${explanation}`, listEvidence([suspect]))
  }
}

type Sides = readonly [string, string]

function listHopKeys(target: Target, { json }: Reply): string[] {
  const { hops, hop } = target.profile.choices.route
  return (pickRows(json, hops) ?? []).map((row) => pickText(row, hop.pool) ?? '')
}

/** The tokens of each pool, as explore rows have them; undefined if one is not listed. */
function listHopTokens(keys: readonly string[], { poolTokens }: Market): Sides[] | undefined {
  const tokens = keys.flatMap((key) => {
    const sides = poolTokens.get(key)
    return sides === undefined || sides.includes('') ? [] : [sides]
  })
  return tokens.length === 0 || tokens.length < keys.length ? undefined : tokens
}

/** The record names both tokens, in either order. */
function isPoolOf({ status, json }: Reply, sides: Sides | undefined): boolean {
  const tokens = ['data.token0', 'data.token1'].map((path) => pickText(json, path) ?? '')
  return status === 200 && sides !== undefined && tokens.sort().join('\n') === [...sides].sort().join('\n')
}

/** No path over the pools leads from one token to the other. The order of the hops is open, and so is a split among paths. */
export function isApart(
  pools: readonly Sides[] | undefined,
  { tokenIn, tokenOut }: Pick<Pair, 'tokenIn' | 'tokenOut'>,
): boolean {
  if (pools === undefined) return false
  const reached = new Set([tokenIn])
  for (const _ of pools)
    for (const sides of pools)
      if (sides.some((side) => reached.has(side))) for (const side of sides) reached.add(side)
  return !reached.has(tokenOut)
}

function readPool(target: Target, key: string): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(key)}`
  return request(target, { method: 'GET', path, route: '/pools/{key}' })
}
