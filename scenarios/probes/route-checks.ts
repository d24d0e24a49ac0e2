import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { listEvidence, type Market, type RouteReply, requestRoute } from '../lib/market/market.ts'
import { isApart, isOneWayApart, type Sides, unlistedId } from '../lib/market/routes.ts'
import { findHopProblem } from '../lib/market/swap-problems.ts'
import { readSwapEnds } from '../lib/market/swap-watch.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { confirm, confirmMissing } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { walkPages } from '../lib/requests/walk.ts'
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
 * Fails the rule if the pools of a route, in whatever order, do not connect its two tokens, or if its hops do so only in the
 * opposite direction. Explore rows only select the routes to check: a pool counts if its own record names the same tokens, so that
 * a wrong row is not blamed on the route.
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
  const isShort = ({ reply }: RouteReply) => listHopKeys(target, reply).length <= LIMITS.routeHopsMax
  const isUnconnected = ({ reply, pair }: RouteReply) =>
    isApart(listHopTokens(listHopKeys(target, reply), market), pair)
  const isTurned = ({ reply, pair }: Pick<RouteReply, 'reply' | 'pair'>) => {
    const hops = listHopSides(target, reply)
    // Ids of another form than those of the request do not connect either.
    return isOneWayApart(hops, pair) && !isApart(hops, pair)
  }
  const short = found.filter(isShort)
  const suspects = [
    ...short.filter(isUnconnected).slice(0, SUSPECTS_MAX),
    ...short.filter(isTurned).slice(0, SUSPECTS_MAX),
  ]
  for (const suspect of suspects) {
    const { pair, amountIn } = suspect
    const describe = async (reply: Reply) => {
      if (isTurned({ reply, pair })) return 'its hops do not lead from token_in to token_out'
      const keys = listHopKeys(target, reply)
      const tokens = listHopTokens(keys, market)
      if (!isApart(tokens, pair)) return undefined
      for (const [index, key] of keys.entries())
        if (!isPoolOf(await readRecord(key), tokens?.[index])) return undefined
      return 'its pools do not connect its tokens'
    }
    const { outcome, explanation } = await confirm({
      first: await describe(suspect.reply),
      describeError: (problem) => problem,
      again: async () => describe(await requestRoute(target, { pair, amountIn, credential })),
      witness: async () => ({ served: true, explanation: '/route is served' }),
    })
    if (outcome === 'persistent') return judge.fail(rule, `a route: ${explanation}`, listEvidence([suspect]))
  }
}

/** The tokens that each hop takes and gives; undefined if a hop does not show both. */
function listHopSides(target: Target, { json }: Reply): Sides[] | undefined {
  const { hops, hop } = target.profile.choices.route
  const rows = pickRows(json, hops) ?? []
  const sides = rows.flatMap((row): Sides[] => {
    const [tokenIn, tokenOut] = [pickText(row, hop.tokenIn), pickText(row, hop.tokenOut)]
    return tokenIn === undefined || tokenOut === undefined ? [] : [[tokenIn, tokenOut]]
  })
  return sides.length === 0 || sides.length < rows.length ? undefined : sides
}

export function listHopKeys(target: Target, { json }: Reply): string[] {
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

/**
 * Fails the rule if the hops of public swaps contradict their tokens or each other, four times, while the own records of their pools
 * name the tokens that the list of pools has.
 */
export async function judgeSwapHops(
  target: Target,
  judge: Judge,
  { rule, credential }: { rule: string; credential: Credential },
): Promise<void> {
  const { rows } = await walkPages(target, { path: '/pools', limit: 100, rowsMax: 500 })
  const pools = new Map(
    rows.flatMap((row) => {
      const [key, token0, token1] = ['key', 'token0', 'token1'].map((name) => pickText(row, name))
      return key && token0 && token1 ? [[key, [token0, token1] as const] as const] : []
    }),
  )
  const look = async () => {
    const found = findHopProblem(await readSwapEnds(target, credential), pools)
    for (const key of found?.pools ?? [])
      if (!isPoolOf(await readPool(target, key), pools.get(key))) return undefined
    return found
  }
  const { outcome, last, explanation } = await confirm({
    first: await look(),
    describeError: (found) => found?.problem,
    again: look,
    witness: async () => ({ served: true, explanation: '/swaps is served' }),
  })
  const evidence = (last?.swaps ?? []).map((swap) => JSON.stringify(swap))
  if (outcome === 'persistent') judge.fail(rule, explanation, evidence)
}

function readPool(target: Target, key: string): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(key)}`
  return request(target, { method: 'GET', path, route: '/pools/{key}' })
}

/** A million of a token with 18 decimals exceeds 64 bits; the other exceeds 128. */
const LARGE = [24, 40].map((digits) => `1${'0'.repeat(digits)}`)

type IsNone = (reply: Pick<Reply, 'status' | 'json'>) => boolean

/** Pairs that pools do not connect within three hops, and those whose 200 contains no route. */
export async function judgeAbsence(
  target: Target,
  judge: Judge,
  options: { requested: readonly RouteReply[]; isNone: IsNone; market: Market; credential: Credential },
): Promise<void> {
  const rule = 'route.none.404'
  const { requested, isNone, market, credential } = options
  const isOtherRefusal = ({ reply }: Pick<RouteReply, 'reply'>) =>
    isNone(reply) || !NO_OTHER_REFUSAL.includes(reply.status)
  const routed = requested.find(({ reply }) => reply.status === 200 && !isNone(reply))
  for (const amountIn of LARGE) {
    const large = routed && (await requestRoute(target, { pair: routed.pair, amountIn, credential }))
    if (large && isError(large)) judge.fail(rule, `an error for an amount of ${amountIn}`, [large.evidence()])
  }
  const alone = requested.filter(({ pair, reply }) => pair.distance > LIMITS.routeHopsMax || isNone(reply))
  const wrong = alone.filter(isOtherRefusal)
  const right = alone.filter(({ reply }) => reply.status === 404)
  const isOnly = wrong.length === 0 && right.length === 0
  await judgeUnlisted(target, judge, { market, credential, routed, isOnly })
  if (isOnly) return
  const seen = `${right.length} pairs without a route returned 404, ${wrong.length} another error`
  const [first] = wrong
  if (first === undefined) return judge.pass(rule, seen, listEvidence(right))
  // Routing may not know yet what /tokens has only just listed.
  const { state, explanation } = await confirmMissing({
    check: async () => {
      const reply = await requestRoute(target, { ...first, credential })
      return isOtherRefusal({ reply }) ? 'missing' : 'found'
    },
    isListed: async () => true,
  })
  if (state === 'missing') judge.fail(rule, `${seen}: ${explanation}`, listEvidence(wrong))
  else judge.inconclusive(rule, `${seen} at first`, listEvidence(wrong))
}

/** A route, a 404, a rejection of the credential, or one for legal reasons. */
const NO_OTHER_REFUSAL = [200, 401, 403, 404, 451]

/**
 * A 200 whose payload is null, or whose list of hops is empty, is no substitute for a 404. Other routes must have hops at that
 * path: the profile may name another list.
 */
export function createIsNone(
  { profile: { choices } }: Pick<Target, 'profile'>,
  replies: readonly { reply: Parameters<IsNone>[0] }[],
): IsNone {
  const countHops = ({ json }: Parameters<IsNone>[0]) => pickRows(json, choices.route.hops)?.length
  const isHopsPath = replies.some(({ reply }) => reply.status === 200 && (countHops(reply) ?? 0) > 0)
  return (reply) =>
    reply.status === 200 && (pick(reply.json, 'data') === null || (isHopsPath && countHops(reply) === 0))
}

/**
 * An unlisted token has no route. It may get another rejection, but no error that persists while listed tokens have a route. A 404
 * passes the rule if this is the only pair without a route.
 */
async function judgeUnlisted(
  target: Target,
  judge: Judge,
  options: { market: Market; credential: Credential; routed: RouteReply | undefined; isOnly: boolean },
): Promise<void> {
  const rule = 'route.none.404'
  const { market, credential, routed, isOnly } = options
  const tokenIn = routed?.pair.tokenIn ?? market.tokens[0]
  const tokenOut = unlistedId(market.tokens)
  if (tokenIn === undefined || tokenOut === undefined) {
    if (isOnly) judge.inconclusive(rule, 'every pair of listed tokens has a route')
    return
  }
  const pair = { tokenIn, tokenOut }
  const reply = await requestRoute(target, { pair, amountIn: market.getUnit(tokenIn), credential })
  const seen = `${reply.status} for an unlisted token`
  if (isError(reply) && routed && (await requestRoute(target, { ...routed, credential })).status === 200)
    judge.fail(rule, seen, [reply.evidence()])
  else if (!isOnly) return
  else if (reply.status === 404) judge.pass(rule, seen, [reply.evidence()])
  else judge.inconclusive(rule, `every pair of listed tokens has a route, and ${seen}`, [reply.evidence()])
}
