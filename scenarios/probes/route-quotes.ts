import type { Target } from '../../contract/scenario-config.ts'
import { listEvidence, type RouteReply, requestRoute } from '../lib/market/market.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { confirm } from '../lib/requests/confirm.ts'
import type { Credential, Reply } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { listHopKeys } from './route-checks.ts'

/** One pool may be nearly empty, so that every amount gets the same output. */
const PAIRS = 3
/** Smaller outputs of different amounts may be equal by rounding. */
const OUT_MIN = 1000n
/** A trade may come between two quotes. */
const TRIES = 3
const SHARES = [1n, 1000n, 1_000_000n]

type Options = { found: readonly RouteReply[]; credential: Credential }
type Look = (one: RouteReply) => Promise<boolean>

/**
 * Fails the rule if a pair gets the same output for an amount, a thousandth and a millionth of it, as do two others. The
 * requests are concurrent, because an exchange may share a response between requests that it has not replied to yet.
 */
export async function judgeAmountUsed(
  target: Target,
  judge: Judge,
  { rule, found, credential }: Options & { rule: string },
): Promise<void> {
  const getOut = ({ json }: Reply) => parseOut(pick(json, target.profile.choices.route.amountOut))
  const suspects = found.filter(
    ({ reply, amountIn }) => getOut(reply) !== undefined && BigInt(amountIn) % (SHARES.at(-1) ?? 1n) === 0n,
  )
  await judgePairs(target, judge, {
    rule,
    found: suspects,
    problem: 'the same output whatever the amount',
    async isWrong({ pair, amountIn }) {
      const amounts = SHARES.map((share) => String(BigInt(amountIn) / share))
      const replies = amounts.map((amount) => requestRoute(target, { pair, amountIn: amount, credential }))
      const outs = new Set((await Promise.all(replies)).map(getOut))
      return outs.size === 1 && !outs.has(undefined)
    },
  })
}

function parseOut(out: unknown): bigint | undefined {
  const isInteger = typeof out === 'string' && /^[1-9][0-9]*$/.test(out)
  return isInteger && BigInt(out) >= OUT_MIN ? BigInt(out) : undefined
}

/**
 * Fails the rule if a pair gets the same route in both directions, as do two others: the same tokens into the same pools. The
 * output must be the same too, as the profile may name a field that has no direction.
 */
export async function judgeDirection(
  target: Target,
  judge: Judge,
  { rule, found, credential }: Options & { rule: string },
): Promise<void> {
  const { hops, hop, amountOut } = target.profile.choices.route
  const describe = ({ json }: Reply) => {
    const rows = pickRows(json, hops) ?? []
    const ids = rows.map((row) => [pickText(row, hop.tokenIn), pickText(row, hop.pool)])
    const out = pickText(json, amountOut)
    const isWhole = rows.length > 0 && ![out, ...ids.flat()].includes(undefined)
    return { first: isWhole ? ids[0]?.[0] : undefined, whole: JSON.stringify([out, ids]) }
  }
  await judgePairs(target, judge, {
    rule,
    found: found.filter(({ reply }) => describe(reply).first !== undefined),
    problem: 'the same route in both directions',
    async isWrong({ pair, amountIn }) {
      const turned = { tokenIn: pair.tokenOut, tokenOut: pair.tokenIn }
      const quote = async (tokens: typeof turned) =>
        describe(await requestRoute(target, { pair: tokens, amountIn, credential }))
      for (let tried = 0; tried < TRIES; tried++) {
        const [there, back] = await Promise.all([quote(pair), quote(turned)])
        if (there.first === undefined || there.first !== back.first) return false
        if (there.whole === back.whole) return true
      }
      return false
    },
  })
}

/** Fails the rule if three pairs, through different pools, are wrong four times. Stops at the first that is not. */
async function judgePairs(
  target: Target,
  judge: Judge,
  options: { rule: string; found: readonly RouteReply[]; problem: string; isWrong: Look },
): Promise<void> {
  const { rule, found, problem, isWrong } = options
  const pairs = pickApart(target, found)
  if (pairs.length < PAIRS) return
  const look = async () => {
    for (const one of pairs) if (!(await isWrong(one))) return false
    return true
  }
  const { outcome, explanation } = await confirm({
    first: await look(),
    describeError: (wrong) => (wrong ? problem : undefined),
    again: look,
    witness: async () => ({ served: true, explanation: '/route is served' }),
  })
  if (outcome === 'persistent') judge.fail(rule, `${PAIRS} pairs: ${explanation}`, listEvidence(pairs))
}

/** Routes without a pool in common, the shortest first. */
function pickApart(target: Target, found: readonly RouteReply[]): RouteReply[] {
  const used = new Set<string>()
  const apart: RouteReply[] = []
  const nearest = [...found].sort((one, other) => one.pair.distance - other.pair.distance)
  for (const one of nearest) {
    const keys = listHopKeys(target, one.reply)
    if (keys.length === 0 || keys.some((key) => key === '' || used.has(key))) continue
    for (const key of keys) used.add(key)
    apart.push(one)
    if (apart.length === PAIRS) break
  }
  return apart
}
