import { retryAfterMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { listCredentials } from '../lib/identity/credential.ts'
import { newestRevision, readProtocolState } from '../lib/market/market.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import type { Reply } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge, holdPasses, ifPossible, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const WAIT_MS_MAX = 5000

/** Requests in a row for each revision, so that each of a few replicas gets one. */
const IN_A_ROW = 3

export const minimumRevision: Probe = {
  rules: ['protocol.minimum.current', 'protocol.minimum.older'],
  world: 'revision',
  async run(target, judge) {
    const current = await newestRevision(target)
    await judgeMinima(target, judge, { rule: 'protocol.minimum.current', minima: [current] })
    // The current revision may be one behind on a replica, but not three.
    const minima = [current - 1n, current - 3n, lowerInText(current)]
    await judgeMinima(target, judge, { rule: 'protocol.minimum.older', minima })
    await requestWithCredentials(target, [current, current + AHEAD])
  },
}

/** No revision that comes while this runs. */
const AHEAD = 1000n

/** With each kind of credential. A check of all responses reports any that is older than its minimum. */
export async function requestWithCredentials(target: Target, minima: readonly bigint[]): Promise<void> {
  for (const credential of await listCredentials(target))
    for (const minimum of minima)
      await unlessCannot(async () => void (await readProtocolState(target, minimum, credential)))
}

/** The largest revision with fewer digits, which a comparison as text takes for a later one; -1 if no revision has fewer. */
export function lowerInText(current: bigint): bigint {
  return current < 10n ? -1n : 10n ** BigInt(String(current).length - 1) - 1n
}

async function judgeMinima(
  target: Target,
  judge: Judge,
  { rule, minima }: { rule: string; minima: readonly bigint[] },
): Promise<void> {
  const there = [...new Set(minima)].filter((minimum) => minimum >= 0n)
  if (there.length === 0) judge.inconclusive(rule, 'the revision is 0: no earlier revision exists')
  const { held, release } = holdPasses(judge)
  for (const minimum of there) await judgeMinimum(target, held, { rule, minimum })
  release()
}

/** A 503 may come from a lagging replica: pending is wrong only if it persists while plain reads return that revision or later. */
async function judgeMinimum(
  target: Target,
  judge: Judge,
  { rule, minimum }: { rule: string; minimum: bigint },
): Promise<void> {
  const request = async () => {
    let reply = await readProtocolState(target, minimum)
    for (let requested = 1; requested < IN_A_ROW && isPending(reply); requested++)
      reply = await readProtocolState(target, minimum)
    return reply
  }
  const first = await request()
  const { outcome, last, explanation } = await confirm({
    first,
    describeError: (reply) => (isPending(reply) ? 'pending' : undefined),
    again: request,
    witness: async () => {
      const revision = await newestRevision(target)
      return { served: revision >= minimum, explanation: `revision ${revision} is served` }
    },
    serverWaitMs: Math.min(parseWaitMs(first), WAIT_MS_MAX),
  })
  const seen = `revision ${minimum} is pending: ${explanation}`
  if (outcome === 'persistent') judge.fail(rule, seen, [last.evidence()])
  else if (outcome === 'open') judge.inconclusive(rule, seen, [last.evidence()])
  else if (last.status === 200) judge.pass(rule, `200 for revision ${minimum}`, [last.evidence()])
  else if (last.status === 503)
    throw new CannotJudge(`a 503 that does not mention revisions: ${last.evidence()}`)
  else judgeOther(judge, { rule, minimum, reply: last })
}

function isPending({ status, json }: Reply): boolean {
  return status === 503 && pick(json, 'code') === 'protocol_revision_pending'
}

function parseWaitMs({ headers }: Reply): number {
  const { 'retry-after': retryAfter, date } = headers
  return retryAfterMs({ retryAfter, date, nowMs: Date.now() }) ?? 0
}

function judgeOther(
  judge: Judge,
  { rule, minimum, reply }: { rule: string; minimum: bigint; reply: Reply },
): void {
  const refusal = reply.status >= 400 && reply.status !== 401 && reply.status !== 403
  const seen = `${reply.status} for revision ${minimum}`
  if (refusal) judge.fail(rule, seen, [reply.evidence()])
  else judge.inconclusive(rule, `neither served nor pending: ${seen}`, [reply.evidence()])
}

const SERVED = 'protocol.minimum.served'
const PENDING_MS_MAX = 15_000
/** Another replica may serve an older state for a while: more reads than there are replicas, over about two seconds. */
const LATER_READS = 12
const LATER_MS = 170

type Requested = { revision: bigint; first: Reply }

/** True if the request was rejected because of the revision, not the credential. */
export function isRevisionRejected(reply: Reply): boolean {
  return isClientError(reply) && reply.status !== 401 && reply.status !== 403
}

/** Requests the revision, waiting as long as Retry-After says while it is pending, then several times more. */
export async function judgeState(target: Target, judge: Judge, revision: bigint): Promise<void> {
  if (target.profile.choices.protocolState.revision === null) {
    judge.skip(SERVED, 'the profile does not state the path of the revision', 'choice')
    return
  }
  const until = Date.now() + PENDING_MS_MAX
  for (;;) {
    const reply = await readProtocolState(target, revision)
    if (reply.status === 200) return await judgeServed(target, judge, { revision, first: reply })
    if (isRevisionRejected(reply)) {
      judge.fail(SERVED, `${reply.status} for revision ${revision}`, [reply.evidence()])
      return
    }
    const wait = readWaitMs(reply) ?? 500
    if (Date.now() + wait > until) throw new CannotJudge(`still pending after 15 s: ${reply.evidence()}`)
    await pause(Math.max(wait, 100))
  }
}

async function judgeServed(target: Target, judge: Judge, { revision, first }: Requested): Promise<void> {
  const path = target.profile.choices.protocolState.revision
  const until = Date.now() + PENDING_MS_MAX
  let reply: Reply | undefined = first
  for (let reads = 0; ; reads++) {
    const served = reply?.status === 200 ? pickRevision(reply.json, path) : undefined
    if (served === undefined && reads === 0)
      throw new CannotJudge(`the state has no revision: ${first.evidence()}`)
    if (reply !== undefined && served !== undefined && served < revision)
      return judge.fail(SERVED, `revision ${served}, requested at least ${revision}`, [reply.evidence()])
    const wait = Math.max(LATER_MS, reply?.status === 200 ? 0 : ((reply && readWaitMs(reply)) ?? 0))
    if (reads === LATER_READS || Date.now() + wait > until) break
    await pause(wait)
    reply = await ifPossible(() => readProtocolState(target, revision))
  }
  judge.pass(SERVED, `no revision below ${revision}, as requested`, [first.evidence()])
}

function readWaitMs({ headers }: Reply): number | undefined {
  return retryAfterMs({ retryAfter: headers['retry-after'], date: headers.date, nowMs: Date.now() })
}
