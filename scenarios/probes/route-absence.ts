import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Market } from '../lib/market/market.ts'
import { listEvidence, type RouteReply, requestRoute } from '../lib/market/request-route.ts'
import { unlistedId } from '../lib/market/routes.ts'
import { pick, pickRows } from '../lib/pick.ts'
import { confirmMissing } from '../lib/requests/confirm.ts'
import { type Credential, isError, type Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'

/** A million of a token with 18 decimals: exceeds 64 bits. */
const LARGE = `1${'0'.repeat(24)}`

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
  const large = routed && (await requestRoute(target, { pair: routed.pair, amountIn: LARGE, credential }))
  if (large && isError(large)) judge.fail(rule, `an error for an amount of ${LARGE}`, [large.evidence()])
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

/** A route, a 404, or a rejection of the credential. */
const NO_OTHER_REFUSAL = [200, 401, 403, 404]

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
