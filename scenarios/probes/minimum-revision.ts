import type { Target } from '../../contract/scenario-config.ts'
import { retryAfterMs } from '../lib/client/retry-wait.ts'
import { readProtocolState } from '../lib/market/protocol-state.ts'
import { pick, pickRevision } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import { confirm } from '../lib/probe/confirm.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { told } from '../lib/probe/told.ts'
import type { Reply } from '../lib/requests/request.ts'

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
 * A 503 may come from a replica that is behind the one that served the revision: pending is wrong only if it stays so, while
 * that revision or a later one is served to reads without a minimum.
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
  const ask = () => readProtocolState(target, minimum)
  const first = await ask()
  const { outcome, last, told } = await confirm({
    first,
    errorOf: (reply) => (isPending(reply) ? 'pending' : undefined),
    again: ask,
    witness: async () => {
      const revision = await readRevision(target)
      return { served: revision >= minimum, told: `revision ${revision} is served` }
    },
    toldMs: Math.min(waitOf(first), WAIT_MS_MAX),
  })
  const seen = `revision ${minimum} is pending: ${told}`
  if (outcome === 'persistent') judge.fail(rule, seen, [last.evidence()])
  else if (outcome === 'open') judge.inconclusive(rule, seen, [last.evidence()])
  else if (last.status === 200) judge.pass(rule, `200 for revision ${minimum}`, [last.evidence()])
  else if (last.status === 503)
    throw new CannotJudge(`a 503 that says nothing of revisions: ${last.evidence()}`)
  else judgeOther(judge, { rule, minimum, reply: last })
}

function isPending({ status, json }: Reply): boolean {
  return status === 503 && pick(json, 'code') === 'protocol_revision_pending'
}

function waitOf({ headers }: Reply): number {
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

async function readRevision(target: Target): Promise<bigint> {
  const path = told(target.profile.choices.protocolState.revision, 'where the revision lies')
  const state = await readProtocolState(target)
  const revision = pickRevision(state.json, path)
  if (revision === undefined) throw new CannotJudge(`no revision to ask for: ${state.evidence()}`)
  return revision
}
