import type { Target } from '../../contract/scenario-config.ts'
import { retryAfterMs } from '../lib/client/retry-wait.ts'
import { readProtocolState } from '../lib/market/protocol-state.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { told } from '../lib/probe/told.ts'
import type { Reply } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'

const TRIES = 3
const WAIT_MS_MAX = 5000

/** Revisions that are there already: the current one, and the one before it. */
export const minimumRevision: Probe = {
  rules: ['protocol.minimum.current', 'protocol.minimum.older'],
  world: 'revision',
  async run(target, judge) {
    await judgeMinimum(target, judge, { rule: 'protocol.minimum.current', below: 0n })
    await judgeMinimum(target, judge, { rule: 'protocol.minimum.older', below: 1n })
  },
}

/**
 * A 503 may come from a replica that lags behind the one that told the revision: pending is wrong only where it is said
 * again after each wait, while the revision goes on being told.
 */
async function judgeMinimum(
  target: Target,
  judge: Judge,
  { rule, below }: { rule: string; below: bigint },
): Promise<void> {
  const minimum = (await readRevision(target)) - below
  if (minimum < 0n) {
    judge.inconclusive(rule, 'the revision is 0: there is none before it')
    return
  }
  const refused: string[] = []
  for (let tries = 0; tries < TRIES; tries++) {
    const reply = await readProtocolState(target, minimum)
    if (reply.status === 200) {
      judge.pass(rule, `200 for revision ${minimum}`, [reply.evidence()])
      return
    }
    refused.push(reply.evidence())
    if (reply.status !== 503) {
      judgeOther(judge, { rule, minimum, reply })
      return
    }
    if (pick(reply.json, 'code') !== 'protocol_revision_pending')
      throw new CannotJudge(`a 503 that says nothing of revisions: ${reply.evidence()}`)
    const { 'retry-after': retryAfter, date } = reply.headers
    await pause(Math.min(retryAfterMs({ retryAfter, date, nowMs: Date.now() }) ?? 1000, WAIT_MS_MAX))
    if ((await readRevision(target)) < minimum)
      throw new CannotJudge(`the revision told goes back below ${minimum}`)
  }
  judge.fail(
    rule,
    `revision ${minimum} is pending ${TRIES} times over, while that revision or a later one is told`,
    refused,
  )
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

async function readRevision(target: Target): Promise<bigint> {
  const path = told(target.profile.choices.protocolState.revision, 'where the revision lies')
  const state = await readProtocolState(target)
  const revision = pickRevision(state.json, path)
  if (revision === undefined) throw new CannotJudge(`no revision to ask for: ${state.evidence()}`)
  return revision
}
