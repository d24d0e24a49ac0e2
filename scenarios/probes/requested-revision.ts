import { retryAfterMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { pickRevision } from '../lib/pick.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import type { Reply } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge, ifPossible, type Judge } from '../lib/verdict/judge.ts'

const RULE = 'protocol.minimum.served'
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
    judge.skip(RULE, 'the profile does not state the path of the revision', 'choice')
    return
  }
  const until = Date.now() + PENDING_MS_MAX
  for (;;) {
    const reply = await readProtocolState(target, revision)
    if (reply.status === 200) return await judgeServed(target, judge, { revision, first: reply })
    if (isRevisionRejected(reply)) {
      judge.fail(RULE, `${reply.status} for revision ${revision}`, [reply.evidence()])
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
      return judge.fail(RULE, `revision ${served}, requested at least ${revision}`, [reply.evidence()])
    const wait = Math.max(LATER_MS, reply?.status === 200 ? 0 : ((reply && readWaitMs(reply)) ?? 0))
    if (reads === LATER_READS || Date.now() + wait > until) break
    await pause(wait)
    reply = await ifPossible(() => readProtocolState(target, revision))
  }
  judge.pass(RULE, `no revision below ${revision}, as requested`, [first.evidence()])
}

function readWaitMs({ headers }: Reply): number | undefined {
  return retryAfterMs({ retryAfter: headers['retry-after'], date: headers.date, nowMs: Date.now() })
}
