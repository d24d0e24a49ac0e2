import { exactFields } from '../../contract/exact-fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import {
  listEvidence,
  type Market,
  type RouteReply,
  readMarket,
  readProtocolState,
  requestRoute,
} from '../lib/market/market.ts'
import { notCanonical, ofEachDistance, type Pair } from '../lib/market/routes.ts'
import { pick, pickRevision, pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { type Credential, isError, isSuccess, type Reply } from '../lib/requests/request.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { createIsNone, judgeAbsence, judgeConnected, judgeHopPools } from './route-checks.ts'
import { judgeAmountUsed, judgeDirection } from './route-quotes.ts'

const ROUTES_MAX = 40
const APART_MAX = 6
const FAR_MAX = 14
/** Statuses of a request without a required parameter. */
const INVALID = [400, 422]

export const routing: Probe = {
  rules: [
    'route.hops.at-most-3',
    'route.hops.exact-ids',
    'route.none.404',
    'route.revision.present',
    'route.amount.exact',
    'route.amount.canonical',
    'route.credentials.missing-401',
    'route.credentials.invalid-401',
  ],
  world: 'main',
  async run(target, judge) {
    const market = await readMarket(target)
    const credential = await readCredential(target).catch(async (error: unknown) => {
      await judgeRejectedForAll(target, judge, market)
      throw error
    })
    const requested = await requestRoutes(target, market, credential)
    const isNone = createIsNone(target, requested)
    const found = requested.filter(({ reply }) => reply.status === 200 && !isNone(reply))
    await judgeHopPools(target, judge, { rule: 'route.hops.exact-ids', found, market })
    await judgeConnected(target, judge, { rule: 'route.hops.exact-ids', found, market, credential })
    await unlessCannot(() =>
      judgeDirection(target, judge, { rule: 'route.hops.exact-ids', found, credential }),
    )
    await unlessCannot(() =>
      judgeAmountUsed(target, judge, { rule: 'route.amount.exact', found, credential }),
    )
    await unlessCannot(() => judgeExistingRevision(target, judge, { found, credential }))
    judgeRoutes(target, judge, { requested, found })
    await judgeAbsence(target, judge, { requested, isNone, market, credential })
    const [routed] = found
    if (!routed) throw new CannotJudge(`none of ${requested.length} pairs has a route to request again`)
    await judgeCredentials(target, judge, { routed, credential })
    await judgeAmounts(target, judge, { routed, credential })
  },
}

async function requestRoutes(target: Target, market: Market, credential: Credential): Promise<RouteReply[]> {
  const { pairs } = market
  const apart = pairs.filter(({ distance }) => distance === Number.POSITIVE_INFINITY).slice(0, APART_MAX)
  const far = pairs
    .filter(({ distance }) => distance > LIMITS.routeHopsMax && distance < Number.POSITIVE_INFINITY)
    .slice(0, FAR_MAX)
  const near = ofEachDistance(pairs.filter(({ distance }) => distance <= LIMITS.routeHopsMax)).slice(
    0,
    ROUTES_MAX - apart.length - far.length,
  )
  const requested: RouteReply[] = []
  for (const group of [apart, far, near]) {
    for (const pair of group) {
      const amountIn = market.getUnit(pair.tokenIn)
      const reply = await requestRoute(target, { pair, amountIn, credential })
      requested.push({ pair, amountIn, reply })
      // Confirming an error takes a while, and the rest of the group adds nothing.
      if (isError(reply)) break
    }
  }
  return requested
}

function judgeRoutes(
  target: Target,
  judge: Judge,
  { requested, found }: { requested: readonly RouteReply[]; found: readonly RouteReply[] },
): void {
  const { route } = target.profile.choices
  const rules = ['route.hops.at-most-3', 'route.revision.present', 'route.amount.exact']
  if (found.length === 0) {
    for (const rule of rules)
      judge.inconclusive(rule, `none of ${requested.length} pairs has a route`, listEvidence(requested))
    return
  }
  const counts = found.map(({ reply }) => {
    const hops = pick(reply.json, route.hops)
    return Array.isArray(hops) ? hops.length : undefined
  })
  const wrong = found.filter((_, index) => (counts[index] ?? 0) > LIMITS.routeHopsMax)
  if (route.hops === null) judge.skip('route.hops.at-most-3', NO_HOPS, 'choice')
  const unseen = found.filter((_, index) => counts[index] === undefined)
  if (wrong.length === 0 && unseen.length > 0) {
    const explanation = `${unseen.length} of ${found.length} routes without a list of hops at ${route.hops}`
    judge.inconclusive('route.hops.at-most-3', explanation, listEvidence(unseen))
  }
  const longest = Math.max(...counts.map((hops) => hops ?? 0))
  const explanation = `${found.length} routes, the longest of ${longest} hops`
  judge.that('route.hops.at-most-3', wrong.length === 0, explanation, listEvidence(wrong))

  judgeIds(target, judge, found)

  const unrevised = found.filter(
    ({ reply }) => pickRevision(reply.json, route.protocolRevision) === undefined,
  )
  if (route.protocolRevision === null)
    judge.skip('route.revision.present', 'the profile does not state the path of the revision', 'choice')
  judge.that(
    'route.revision.present',
    unrevised.length === 0,
    `${unrevised.length} of ${found.length} without`,
    listEvidence(unrevised),
  )

  judgeExact(judge, found, route.amountOut)
}

const NO_AMOUNT = 'the profile does not state choices.route.amountOut, the path of the amount out'
const NO_HOPS = 'the profile does not state choices.route.hops, the path of the hops'

/** Checks the amount out and every field with a financial name, such as those of the hops. */
export function judgeExact(judge: Judge, found: readonly RouteReply[], amountOut: string | null): void {
  const rule = 'route.amount.exact'
  const seen = found.map((one) => ({
    one,
    out: typeof pick(one.reply.json, amountOut),
    ...exactFields(one.reply.json),
    isOutMisspelled: exactFields({ amount: pick(one.reply.json, amountOut) }).misspelled.length > 0,
  }))
  const inexact = seen.filter(({ out, numbers }) => out === 'number' || numbers.length > 0)
  const misspelled = seen
    .filter((route) => route.isOutMisspelled || route.misspelled.length > 0)
    .map(({ one }) => one)
  const spelled = `${misspelled.length} of ${found.length} routes have figures with separators or other digits`
  if (misspelled.length > 0) judge.fail(rule, spelled, listEvidence(misspelled))
  const [first] = inexact
  if (first) {
    const where = first.numbers.length > 0 ? first.numbers.join(', ') : amountOut
    const explanation = `${inexact.length} of ${found.length} routes have numbers, the first at ${where}`
    judge.fail(rule, explanation, listEvidence(inexact.map(({ one }) => one)))
  } else if (seen.every(({ out }) => out !== 'string'))
    judge.skip(rule, amountOut === null ? NO_AMOUNT : `no amount out at ${amountOut}`, 'choice')
  else judge.pass(rule, `the amounts of ${found.length} routes are strings`)
}

/** Checks that pools and tokens of the hops, at the paths in the profile, are strings. */
export function judgeIds(target: Target, judge: Judge, found: readonly RouteReply[]): void {
  const rule = 'route.hops.exact-ids'
  const { hops, hop } = target.profile.choices.route
  const paths = Object.values(hop).filter((path) => path !== null)
  const kinds = found.flatMap((one) =>
    (pickRows(one.reply.json, hops) ?? []).flatMap((row) =>
      paths.map((path) => ({ one, kind: typeof pick(row, path) })),
    ),
  )
  const given = kinds.filter(({ kind }) => kind !== 'undefined')
  const inexact = given.filter(({ kind }) => kind !== 'string')
  if (given.length === 0)
    judge.skip(rule, hops === null ? NO_HOPS : 'no pool or token at the paths of choices.route.hop', 'choice')
  const seen = `${inexact.length} of ${given.length} are not strings`
  judge.that(rule, inexact.length === 0, seen, listEvidence(inexact.map(({ one }) => one)))
}

/** Stops at the first spelling that is not rejected: confirming an error takes a while. */
async function judgeAmounts(
  target: Target,
  judge: Judge,
  { routed, credential }: { routed: RouteReply; credential: Credential },
): Promise<void> {
  const rule = 'route.amount.canonical'
  const { pair, amountIn } = routed
  const spellings = notCanonical(amountIn)
  for (const spelling of spellings) {
    const reply = await requestRoute(target, { pair, amountIn: spelling, credential })
    if (isClientError(reply)) continue
    const canonical = isError(reply) ? await requestRoute(target, { pair, amountIn, credential }) : undefined
    if (canonical !== undefined && canonical.status !== 200)
      throw new CannotJudge(`the canonical amount fails too: ${canonical.evidence()}`)
    return judge.fail(rule, `${JSON.stringify(spelling)} gets ${reply.status}`, [reply.evidence()])
  }
  const empty = await findEmptyTaken(target, { pair, credential })
  const evidence = empty === undefined ? [] : [empty.evidence()]
  const seen = `${spellings.length} spellings rejected${empty === undefined ? '' : ', an empty amount taken'}`
  judge.that(rule, empty === undefined, seen, evidence)
}

/** An empty amount is wrong only if the amount is required: else it may count as left out. */
async function findEmptyTaken(
  target: Target,
  { pair, credential }: { pair: Pair; credential: Credential },
): Promise<Reply | undefined> {
  const empty = await requestRoute(target, { pair, amountIn: '', credential })
  if (!isSuccess(empty)) return undefined
  const without = await requestRoute(target, { pair, amountIn: undefined, credential })
  return INVALID.includes(without.status) ? empty : undefined
}

const BAD_CREDENTIALS = [
  { rule: 'route.credentials.missing-401', credential: undefined },
  {
    rule: 'route.credentials.invalid-401',
    credential: { bearer: 'ss_this-token-was-never-issued-by-anyone' },
  },
]

/** Repeats a route that was just found, so only the credential can be rejected: twice, as the first response may be cached. */
async function judgeCredentials(
  target: Target,
  judge: Judge,
  { routed: { pair, amountIn }, credential: good }: { routed: RouteReply; credential: Credential },
): Promise<void> {
  for (const { rule, credential } of BAD_CREDENTIALS) {
    const replies: Reply[] = []
    for (let round = 0; round < 2; round++) {
      await requestRoute(target, { pair, amountIn, credential: good })
      replies.push(await requestRoute(target, { pair, amountIn, credential }))
    }
    const wrong = replies.filter(({ status }) => status !== 401)
    const seen = replies.map(({ status }) => status).join(', ')
    judge.that(
      rule,
      wrong.length === 0,
      seen,
      (wrong.length > 0 ? wrong : replies).map((reply) => reply.evidence()),
    )
  }
}

/** Without a credential that finds a route, only a 401 proves anything: another error may be about the request. */
async function judgeRejectedForAll(target: Target, judge: Judge, { pairs, getUnit }: Market): Promise<void> {
  const pair = pairs.at(-1)
  if (pair === undefined) return
  for (const { rule, credential } of BAD_CREDENTIALS) {
    const reply = await requestRoute(target, { pair, amountIn: getUnit(pair.tokenIn), credential })
    if (reply.status === 401) judge.pass(rule, '401', [reply.evidence()])
  }
}

/** The state may be older than a route by a few revisions, not by this number. */
const AHEAD_MIN = 100n

/**
 * Fails the rule if a route carries something else than a revision, such as a block height: a number far above the revision of
 * the protocol state, which is pending as a minimum. A route one revision ahead proves nothing.
 */
export async function judgeExistingRevision(
  target: Target,
  judge: Judge,
  { found, credential }: { found: readonly RouteReply[]; credential: Credential },
): Promise<void> {
  const { route, protocolState } = target.profile.choices
  const [one] = found
  if (one === undefined || route.protocolRevision === null || protocolState.revision === null) return
  const { pair, amountIn } = one
  const look = async (reply: Reply) => {
    const quoted = isSuccess(reply) ? pickRevision(reply.json, route.protocolRevision) : undefined
    if (quoted === undefined) return ''
    const state = await readProtocolState(target)
    const current = state.status === 200 ? pickRevision(state.json, protocolState.revision) : undefined
    if (!isFarAhead(quoted, current)) return ''
    const { status, json } = await readProtocolState(target, quoted)
    const isPending = status === 503 && pick(json, 'code') === 'protocol_revision_pending'
    return isPending ? `${quoted}, the state ${current}` : ''
  }
  const { outcome, last, explanation } = await confirm({
    first: await look(one.reply),
    describeError: (seen) => (seen === '' ? undefined : 'a revision far above that of the state'),
    again: async () => look(await requestRoute(target, { pair, amountIn, credential })),
    witness: async () => ({ served: true, explanation: '/protocol/state is served' }),
  })
  if (outcome === 'persistent')
    judge.fail(
      'route.revision.present',
      `a route has the revision ${last}: ${explanation}`,
      listEvidence([one]),
    )
}

function isFarAhead(quoted: bigint, current: bigint | undefined): boolean {
  return current !== undefined && quoted >= current + AHEAD_MIN
}
