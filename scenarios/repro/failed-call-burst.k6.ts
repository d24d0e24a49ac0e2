// One of several calls fails: one client repeats them all, the other only that call.
import { backoffMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readClientCredential } from '../lib/case/follower.ts'
import { HEEDLESS_MS, requireRateLimit } from '../lib/case/over-the-limit.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { type Credential, isSuccess, type Reply, send } from '../lib/requests/request.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('rollBack') }

const RECOVERS = 'rate-limit.wait.recovers'
const CALLS = ['/access/status', '/fee-tiers', '/unclaimed', '/referral/status']
const TRIES_MAX = 5

export function rollBack(): Promise<void> {
  return runCase([RECOVERS], async (judge) => {
    const panicky = actor('panicky-client')
    const right = actor('right-client')
    const limit = requireRateLimit(panicky)
    const panickily = await readClientCredential(panicky, 0)

    await step('one call of the panicky client fails: it repeats all calls immediately')
    await beginFaults()
    const replies = await makeAllAgain(panicky, panickily)
    const refused = replies.filter(({ status }) => status === 429)
    const failed = replies.filter(({ status }) => status >= 500).length
    outcome(
      panicky,
      `${replies.length} requests for ${CALLS.length} calls: ${failed} failed, ${refused.length} got 429`,
    )

    await step('one call of the right client fails: it repeats only that call, with backoff, a few times')
    await beginFaults()
    const made = await makeOneAgain(right, await readClientCredential(right, 1))
    outcome(right, `${made} requests for ${CALLS.length} calls, all successful`)

    await step('the panicky client finally waits')
    const [first] = refused
    if (!first) return judge.inconclusive(RECOVERS, 'its requests did not exceed the limit')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(panicky, judge, { first, credential: panickily, refillMs })
  })
}

async function makeAllAgain(target: Target, credential: Credential): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let round = 0; round < readNumber('rounds'); round++) {
    const made: Reply[] = []
    for (const path of CALLS) made.push(await call(target, path, credential))
    replies.push(...made)
    if (made.every(isSuccess)) break
    await elapse(target, HEEDLESS_MS)
  }
  return replies
}

/** Returns the number of requests. */
async function makeOneAgain(target: Target, credential: Credential): Promise<number> {
  let made = 0
  for (const path of CALLS) {
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      made++
      if (isSuccess(await call(target, path, credential))) break
      await elapse(target, backoffMs({ attempt, random: vuRandom }))
    }
  }
  return made
}

function call(target: Target, path: string, credential: Credential): Promise<Reply> {
  return send(target, { method: 'GET', path, credential, provokes: [429, 503] })
}
