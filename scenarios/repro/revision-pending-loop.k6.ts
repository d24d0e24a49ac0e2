// The configuration has changed and the indexer lags: one client retries at once, the other waits for
// Retry-After.
import type { Target } from '../../contract/scenario-config.ts'
import { awaitRetryAfter, HEEDLESS_MS } from '../lib/case/over-the-limit.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { readProtocolState } from '../lib/market/market.ts'
import { pickRevision } from '../lib/pick.ts'
import type { Reply } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/judge.ts'
import { control, elapse } from '../lib/world/control.ts'
import { judgeState } from '../probes/minimum-revision.ts'
import { pendingRevision } from '../probes/revisions.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('pending') }

const SERVED = 'protocol.minimum.served'

export function pending(): Promise<void> {
  return runCase([...pendingRevision.rules, SERVED], async (judge) => {
    const looping = actor('looping-client')
    const right = actor('right-client')
    await step('a request for an unannounced revision')
    await pendingRevision.run(right, judge)

    await step('the configuration changes on the chain; the indexer lags')
    await beginFaults()
    const revision = await changeConfiguration(right)

    await step('the looping client requests that revision repeatedly')
    const requested: Reply[] = []
    while (requested.length < readNumber('requests')) {
      requested.push(await readProtocolState(looping, revision))
      await elapse(looping, HEEDLESS_MS)
    }
    const refused = requested.filter(({ status }) => status === 503).length
    outcome(looping, `${refused} of ${requested.length} requests got 503`)

    if (refused === 0) throw new CannotJudge('the revision was not pending, so there was nothing to wait for')

    await step('the right client requests it, and waits for Retry-After')
    const tries = await waitForRevision(right, revision)
    outcome(right, tries === undefined ? 'still pending' : `served with request ${tries}`)
    if (tries === undefined) throw new CannotJudge('still pending after the waits')
    await judgeState(right, judge, revision)
  })
}

/** Returns the chain's revision, which is not indexed yet. */
async function changeConfiguration(target: Target): Promise<bigint> {
  if (!hasControl(target)) throw new CannotProbe('a configuration change requires a control API')
  const response = await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
  const revision = pickRevision(response, 'revision')
  if (revision === undefined) throw new CannotJudge('the control API returned no revision')
  return revision
}

/** Returns the number of requests until the revision is served, or undefined. */
async function waitForRevision(target: Target, revision: bigint): Promise<number | undefined> {
  for (let tries = 1; tries <= readNumber('requests'); tries++) {
    const reply = await readProtocolState(target, revision)
    if (reply.status !== 503) return tries
    await awaitRetryAfter(target, reply)
  }
  return undefined
}
