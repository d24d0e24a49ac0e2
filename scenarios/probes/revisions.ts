import { retryAfterMs } from '../../client/retry-wait.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { type Market, readMarket } from '../lib/market/market.ts'
import { newestRevision, readProtocolState } from '../lib/market/protocol-state.ts'
import type { Pair } from '../lib/market/routes.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isRefusal } from '../lib/requests/refusal.ts'
import type { Reply } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge, told } from '../lib/verdict/cannot.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { chainGoesOn, control } from '../lib/world/control.ts'
import { waitUntilShown } from '../lib/world/wait-until-shown.ts'
import { requestRoute } from './routing.ts'

/** A revision that is not there yet. */
export const pendingRevision: Probe = {
  rules: [
    'protocol.state.revision',
    'protocol.pending.503',
    'protocol.pending.error-body',
    'protocol.pending.retry-after',
  ],
  world: 'revision',
  async run(target, judge) {
    const path = told(target.profile.choices.protocolState.revision, 'where the revision lies')
    const state = await readProtocolState(target)
    // Which of two statements on its access governs is not told by the specification.
    if (state.status === 401 || state.status === 403)
      throw new CannotJudge(`another access than the profile says: ${state.evidence()}`)
    const revision = pickRevision(state.json, path)
    judge.that(
      'protocol.state.revision',
      revision !== undefined,
      `${state.status}, revision ${revision ?? 'missing'}`,
      [state.evidence()],
    )
    if (revision === undefined) throw new CannotJudge('without a revision there is none to be one ahead of')

    const { known, ahead, served } = await askAheadOfAll(target, await newestRevision(target))
    if (ahead.status === 503) {
      const code = pick(ahead.json, 'code')
      judge.that(
        'protocol.pending.503',
        code === 'protocol_revision_pending',
        `503 with code ${JSON.stringify(code)}`,
        [ahead.evidence()],
      )
      // Where the code is missing, so may be all that goes with it: another 503 may befall any request.
      if (code !== 'protocol_revision_pending')
        throw new CannotJudge(`a 503 without the code: ${ahead.evidence()}`)
      const problems = check('errorBody', ahead.json)
      judge.that('protocol.pending.error-body', problems.length === 0, problems.join('; ') || 'fits', [
        ahead.evidence(),
      ])
      const header = ahead.headers['retry-after']
      const wait = retryAfterMs({ retryAfter: header, date: ahead.headers.date, nowMs: Date.now() })
      // Asked again, it may be served too early, or come without a wait: the watch over all responses sees that.
      for (let again = 0; again < ASKED_AGAIN; again++) await readProtocolState(target, known + 1n)
      judge.that('protocol.pending.retry-after', wait !== undefined, `Retry-After: ${header ?? 'missing'}`, [
        ahead.evidence(),
      ])
    } else if (ahead.status === 200 && served !== undefined && served <= known) {
      judge.fail('protocol.pending.503', `200 with revision ${served}, asked for at least ${known + 1n}`, [
        ahead.evidence(),
      ])
    } else if (isRefused(ahead)) {
      judge.fail('protocol.pending.503', `${ahead.status} for the next revision`, [ahead.evidence()])
    } else {
      throw new CannotJudge(`the next revision was not pending: ${ahead.evidence()}`)
    }
  },
}

const ASKED_AGAIN = 3
/** Pairs of one distance, of which some may have no route. */
const PAIRS_MAX = 20

/** Refused for the revision: a credential has nothing to do with it. */
function isRefused(reply: Reply): boolean {
  return isRefusal(reply) && reply.status !== 401 && reply.status !== 403
}

/** How often the newest revision may turn out to be a later one. */
const LATER_MAX = 5

/** A revision may be new since it was read: what is served for one more tells the newest. */
async function askAheadOfAll(target: Target, told: bigint) {
  let known = told
  for (let later = 0; ; later++) {
    const ahead = await askAhead(target, known + 1n)
    const served = pickRevision(ahead.json, target.profile.choices.protocolState.revision)
    const isLater = ahead.status === 200 && served !== undefined && served > known
    if (!isLater || later === LATER_MAX) return { known, ahead, served }
    known = served
  }
}

/** A 503 of another kind may befall any request: then the state without a minimum is waited for first. */
async function askAhead(target: Target, minimum: bigint): Promise<Reply> {
  const first = await readProtocolState(target, minimum)
  if (first.status !== 503 || pick(first.json, 'code') === 'protocol_revision_pending') return first
  await pause(1000)
  await readProtocolState(target)
  return await readProtocolState(target, minimum)
}

/** What a client does at a revision event: fetch the state at that revision, and requote stale routes. */
export const revisionEvent: Probe = {
  rules: ['protocol.minimum.served', 'route.revision.catches-up'],
  world: 'revision',
  async run(target, judge) {
    const feed = await openServedFeed(target, await readCredential(target), ['protocol_config'])
    try {
      await quoteOnce(target)
      const event = await nextRevisionEvent(target, feed)
      if (!event) {
        const known = await judgeKnownRevision(target, judge)
        if (hasControl(target))
          throw new CannotJudge('the control API raised the revision, and no event told of it')
        // Without one, a route can be of the known revision, or leave the rule open: nothing is known of how soon it must be.
        await judgeRequotes(target, judge, known)
        return
      }
      const revision = pickRevision(event.json, 'data.revision')
      if (revision === undefined) throw new CannotJudge('the event names no revision')
      await judgeState(target, judge, revision)
      await judgeRequotes(target, judge, revision)
    } finally {
      feed.close()
    }
  },
}

/**
 * Raises the revision where there is a control API, and waits for the event that announces one; undefined where none
 * comes.
 */
export async function nextRevisionEvent(target: Target, feed: Feed): Promise<FeedMessage | undefined> {
  const find = () => feed.received.find(({ type }) => type === 'ProtocolConfigChanged')
  if (hasControl(target)) await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
  await chainGoesOn(target, { done: () => find() !== undefined, blocksMax: 5, waitMsMax: 20_000 })
  return find()
}

/** The weaker half of the rule, where no revision is new: the one that is there is served when it is asked for. */
async function judgeKnownRevision(target: Target, judge: Judge): Promise<bigint> {
  const path = told(target.profile.choices.protocolState.revision, 'where the revision lies')
  const state = await readProtocolState(target)
  const revision = pickRevision(state.json, path)
  if (revision === undefined) throw new CannotJudge(`no revision to ask for: ${state.evidence()}`)
  await judgeState(target, judge, revision)
  return revision
}

/** Asks for the revision, waiting as it is told while that is pending. */
export async function judgeState(target: Target, judge: Judge, revision: bigint): Promise<void> {
  const rule = 'protocol.minimum.served'
  if (target.profile.choices.protocolState.revision === null) {
    judge.skip(rule, 'the profile does not tell where the revision lies', 'choice')
    return
  }
  const until = Date.now() + 15_000
  for (
    let reply = await readProtocolState(target, revision);
    ;
    reply = await readProtocolState(target, revision)
  ) {
    if (reply.status === 200) {
      const served = pickRevision(reply.json, target.profile.choices.protocolState.revision)
      if (served === undefined) throw new CannotJudge(`no revision in it: ${reply.evidence()}`)
      judge.that(rule, served >= revision, `revision ${served}, asked for at least ${revision}`, [
        reply.evidence(),
      ])
      return
    }
    if (isRefused(reply)) {
      judge.fail(rule, `${reply.status} for revision ${revision}`, [reply.evidence()])
      return
    }
    const { date } = reply.headers
    const wait = retryAfterMs({ retryAfter: reply.headers['retry-after'], date, nowMs: Date.now() }) ?? 500
    if (Date.now() + wait > until) throw new CannotJudge(`still pending after 15 s: ${reply.evidence()}`)
    await pause(Math.max(wait, 100))
  }
}

/** Quotes the pairs that are requoted later: a route that is kept may be kept for too long. */
async function quoteOnce(target: Target): Promise<void> {
  const market = await readMarket(target)
  const credential = await readCredential(target)
  for (const [pair] of nearByDistance(market)) {
    if (pair) await requestRoute(target, { pair, amountIn: market.unitOf(pair.tokenIn), credential })
  }
}

/** Pairs one, two and three hops apart, as far as there are any: routes of each length may be kept by themselves. */
function nearByDistance({ pairs }: Market): Pair[][] {
  const distances = Array.from({ length: LIMITS.routeHopsMax }, (_, index) => index + 1)
  return distances
    .map((hops) => pairs.filter(({ distance }) => distance === hops).slice(0, PAIRS_MAX))
    .filter((near) => near.length > 0)
}

/**
 * A stale route is no finding by itself, and how soon requotes catch up is not stated. Returns how many were stale.
 */
export async function judgeRequotes(target: Target, judge: Judge, revision: bigint): Promise<number> {
  const rule = 'route.revision.catches-up'
  const path = told(target.profile.choices.route.protocolRevision, 'where a route has its revision')
  const credential = await readCredential(target)
  const market = await readMarket(target)
  let waiting = nearByDistance(market)
  let stale = 0
  let fresh = 0
  let asked = 0
  let last: Reply | undefined
  /** Leaves the pairs whose routes are still older, the same one first: a route that is kept is not requoted with another. */
  const requote = async (near: Pair[]): Promise<Pair[]> => {
    for (const [at, pair] of near.entries()) {
      asked++
      const reply = await requestRoute(target, { pair, amountIn: market.unitOf(pair.tokenIn), credential })
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
  const seen = `${stale} of ${asked} quotes were older than revision ${revision}`
  if (shown === 'shown' && fresh > 0) judge.pass(rule, seen, [last.evidence()])
  else if (shown === 'never') judge.fail(rule, seen, [last.evidence()])
  else judge.inconclusive(rule, `no route of that revision yet: ${seen}`, [last.evidence()])
  return stale
}
