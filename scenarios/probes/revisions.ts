import { retryAfterMs } from '../../client/retry-wait.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import {
  type Market,
  newestRevision,
  readMarket,
  readProtocolState,
  requestRoute,
} from '../lib/market/market.ts'
import type { Pair } from '../lib/market/routes.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { GaveUp } from '../lib/requests/patient.ts'
import type { Reply } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { check } from '../lib/verdict/check.ts'
import { CannotJudge, type Judge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain, control } from '../lib/world/control.ts'
import { waitUntilShown } from '../lib/world/wait-until-shown.ts'
import { isRevisionRejected, judgeState } from './minimum-revision.ts'

export const pendingRevision: Probe = {
  rules: [
    'protocol.state.revision',
    'protocol.pending.503',
    'protocol.pending.error-body',
    'protocol.pending.retry-after',
  ],
  world: 'revision',
  async run(target, judge) {
    const path = requireChoice(target.profile.choices.protocolState.revision, 'the path of the revision')
    const state = await readProtocolState(target)
    // The specification contradicts itself about the access to this endpoint.
    if (state.status === 401 || state.status === 403)
      throw new CannotJudge(`the access differs from the profile: ${state.evidence()}`)
    const revision = pickRevision(state.json, path)
    judge.that(
      'protocol.state.revision',
      revision !== undefined,
      `${state.status}, revision ${revision ?? 'missing'}`,
      [state.evidence()],
    )
    if (revision === undefined) throw new CannotJudge('no current revision to request the next one of')

    const { known, ahead, served } = await requestUnreachedRevision(target, await newestRevision(target))
    if (ahead.status === 503) {
      await unlessCannot(() => judgeFarRevisions(target, judge, known))
      const code = pick(ahead.json, 'code')
      judge.that('protocol.pending.503', code === PENDING, `503 with code ${JSON.stringify(code)}`, [
        ahead.evidence(),
      ])
      // Without the code it may be an unrelated 503.
      if (code !== PENDING) throw new CannotJudge(`a 503 without that code: ${ahead.evidence()}`)
      const problems = check('errorBody', ahead.json)
      judge.that('protocol.pending.error-body', problems.length === 0, problems.join('; ') || 'fits', [
        ahead.evidence(),
      ])
      const header = ahead.headers['retry-after']
      const wait = retryAfterMs({ retryAfter: header, date: ahead.headers.date, nowMs: Date.now() })
      // Repeats the request: a check of all responses reports any that comes too early or lacks Retry-After.
      for (let again = 0; again < REPEATS; again++) await readProtocolState(target, known + 1n)
      judge.that('protocol.pending.retry-after', wait !== undefined, `Retry-After: ${header ?? 'missing'}`, [
        ahead.evidence(),
      ])
    } else if (ahead.status === 200 && served !== undefined && served <= known) {
      judge.fail('protocol.pending.503', `200 with revision ${served}, requested at least ${known + 1n}`, [
        ahead.evidence(),
      ])
    } else if (isRevisionRejected(ahead)) {
      judge.fail('protocol.pending.503', `${ahead.status} for the next revision`, [ahead.evidence()])
    } else {
      throw new CannotJudge(`the next revision was not pending: ${ahead.evidence()}`)
    }
  },
}

const PENDING = 'protocol_revision_pending'
const REPEATS = 3
const PAIRS_MAX = 20

const LATER_MAX = 5

/** Requests revisions one ahead until one is pending: a new revision may have come since `announced` was read. */
async function requestUnreachedRevision(target: Target, announced: bigint) {
  let known = announced
  for (let later = 0; ; later++) {
    const ahead = await requestAhead(target, known + 1n)
    const served = pickRevision(ahead.json, target.profile.choices.protocolState.revision)
    const isLater = ahead.status === 200 && served !== undefined && served > known
    if (!isLater || later === LATER_MAX) return { known, ahead, served }
    known = served
  }
}

/**
 * Returns a 429, or a 503 without the code of a pending revision, only if it stays while the state is served without a minimum: any
 * request may get these.
 */
export async function requestAhead(target: Target, minimum: bigint): Promise<Reply> {
  const read = () =>
    readProtocolState(target, minimum).catch((error: unknown) => {
      if (error instanceof GaveUp && error.reply.status === 429) return error.reply
      throw error
    })
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await read(),
    describeError: describeUnrelated,
    again: read,
    witness: async () => {
      const { status } = await readProtocolState(target)
      return { served: status === 200, explanation: `GET /protocol/state without a minimum -> ${status}` }
    },
  })
  if (outcome === 'open') throw new CannotJudge(`the next revision is not served: ${explanation}`)
  return last
}

function describeUnrelated({ status, json }: Reply): string | undefined {
  if (status === 429) return '429'
  const code = pick(json, 'code')
  return status === 503 && code !== PENDING ? `503 with code ${JSON.stringify(code)}` : undefined
}

/** At a revision event, a client fetches the state at that revision and requotes stale routes. */
export const revisionEvent: Probe = {
  rules: ['protocol.minimum.served', 'route.revision.catches-up'],
  world: 'revision',
  async run(target, judge) {
    const feed = await openServedFeed(target, await readCredential(target), ['protocol_config'])
    try {
      // Read once: a second reading may order the pairs otherwise, and so requote others than were quoted.
      const market = await readMarket(target)
      await quoteOnce(target, market)
      const event = await nextRevisionEvent(target, feed)
      if (!event) {
        const known = await judgeKnownRevision(target, judge)
        if (hasControl(target))
          throw new CannotJudge('the control API raised the revision, but no event announced it')
        // Without a new revision, stale routes leave the rule open: the API does not say how soon they follow.
        await judgeRequotes(target, judge, { revision: known, market })
        return
      }
      const revision = pickRevision(event.json, 'data.revision')
      if (revision === undefined) throw new CannotJudge('the event names no revision')
      await judgeState(target, judge, revision)
      await judgeRequotes(target, judge, { revision, market })
    } finally {
      feed.close()
    }
  },
}

/** Raises the revision through the control API, if any, and waits for its event. Returns undefined if none comes. */
export async function nextRevisionEvent(target: Target, feed: Feed): Promise<FeedMessage | undefined> {
  const find = () => feed.received.find(({ type }) => type === 'ProtocolConfigChanged')
  if (hasControl(target)) await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
  await advanceChain(target, { done: () => find() !== undefined, blocksMax: 5, waitMsMax: 20_000 })
  return find()
}

/** Without a new revision, only checks that the current one is served as a minimum. */
async function judgeKnownRevision(target: Target, judge: Judge): Promise<bigint> {
  const path = requireChoice(target.profile.choices.protocolState.revision, 'the path of the revision')
  const state = await readProtocolState(target)
  const revision = pickRevision(state.json, path)
  if (revision === undefined) throw new CannotJudge(`no revision to request: ${state.evidence()}`)
  await judgeState(target, judge, revision)
  return revision
}

/** Quotes the pairs that are requoted later, so that caches are filled. */
async function quoteOnce(target: Target, market: Market): Promise<void> {
  const credential = await readCredential(target)
  for (const near of groupByDistance(market)) {
    for (const pair of near) {
      const amountIn = market.getUnit(pair.tokenIn)
      if ((await requestRoute(target, { pair, amountIn, credential })).status === 200) break
    }
  }
}

/** Pairs one, two and three hops apart, if any: routes may be cached by length. */
function groupByDistance({ pairs }: Market): Pair[][] {
  const distances = Array.from({ length: LIMITS.routeHopsMax }, (_, index) => index + 1)
  return distances
    .map((hops) => pairs.filter(({ distance }) => distance === hops).slice(0, PAIRS_MAX))
    .filter((near) => near.length > 0)
}

/** A stale route alone is no violation: the API does not say how soon requotes follow. Returns the number of stale routes. */
export async function judgeRequotes(
  target: Target,
  judge: Judge,
  { revision, market }: { revision: bigint; market: Market },
): Promise<number> {
  const rule = 'route.revision.catches-up'
  const path = requireChoice(
    target.profile.choices.route.protocolRevision,
    'the path of the revision of a route',
  )
  const credential = await readCredential(target)
  let waiting = groupByDistance(market)
  let stale = 0
  let fresh = 0
  let requested = 0
  let last: Reply | undefined
  /** Returns the pairs that are still stale, the same first: a cached route is not refreshed by another pair. */
  const requote = async (near: Pair[]): Promise<Pair[]> => {
    for (const [at, pair] of near.entries()) {
      requested++
      const reply = await requestRoute(target, { pair, amountIn: market.getUnit(pair.tokenIn), credential })
      if (reply.status !== 200) continue
      last = reply
      const quoted = pickRevision(reply.json, path)
      if (quoted === undefined) throw new CannotJudge(`a route without a revision: ${reply.evidence()}`)
      if (quoted >= revision) {
        fresh++
        return []
      }
      stale++
      return near.slice(at)
    }
    return []
  }
  const shown = await waitUntilShown(target, async () => {
    const left: Pair[][] = []
    for (const near of waiting) left.push(await requote(near))
    waiting = left.filter((near) => near.length > 0)
    return waiting.length === 0
  })
  if (last === undefined) throw new CannotJudge('no pair has a route to requote')
  const seen = `${stale} of ${requested} quotes were older than revision ${revision}`
  if (shown === 'shown' && fresh > 0) judge.pass(rule, seen, [last.evidence()])
  else if (shown === 'never') judge.fail(rule, seen, [last.evidence()])
  else judge.inconclusive(rule, `no route of that revision yet: ${seen}`, [last.evidence()])
  return stale
}

const RULE = 'protocol.pending.503'

/** The second does not fit into 32 bits. */
const FAR_AHEAD = [1000n, 2n ** 32n + 1n]

/**
 * Fails the rule if a revision far ahead is served as an older one, or is an internal error, while the state is served without a
 * minimum. A revision that absurd may be rejected, and other errors may come from waiting for it.
 *
 * @param known the highest revision seen
 */
async function judgeFarRevisions(target: Target, judge: Judge, known: bigint): Promise<void> {
  const path = target.profile.choices.protocolState.revision
  const describe = (reply: Reply) =>
    describeFarRevision({ status: reply.status, served: pickRevision(reply.json, path) }, known)
  for (const distance of FAR_AHEAD) {
    const minimum = known + distance
    const read = () => readProtocolState(target, minimum)
    const { outcome, last, explanation } = await confirm({
      first: await read(),
      describeError: describe,
      again: read,
      witness: async () => {
        const { status } = await readProtocolState(target)
        return { served: status === 200, explanation: `GET /protocol/state without a minimum -> ${status}` }
      },
    })
    if (outcome === 'persistent')
      return judge.fail(RULE, `for revision ${minimum}, ${explanation}`, [last.evidence()])
  }
}

/** The revision may go on by a few until it is read again. */
const NEWER_MAX = 100n

export function describeFarRevision(
  { status, served }: { status: number; served: bigint | undefined },
  known: bigint,
): string | undefined {
  if (status === 500) return '500'
  const isOlder = status === 200 && served !== undefined && served < known + NEWER_MAX
  return isOlder ? '200 with an older revision' : undefined
}
