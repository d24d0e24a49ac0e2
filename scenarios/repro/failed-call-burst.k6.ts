// One of several calls fails: one client repeats them all, the other that call alone.

import { backoffMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { actor, numberOf, outcome, step } from '../lib/case/actor.ts'
import { credentialOfClient } from '../lib/case/follower.ts'
import { HEEDLESS_MS, limitOf } from '../lib/case/over-the-limit.ts'
import { beginFaults, play } from '../lib/case/play.ts'
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
  return play([RECOVERS], async (judge) => {
    const panicky = actor('panicky-client')
    const right = actor('right-client')
    const limit = limitOf(panicky)
    const panickily = await credentialOfClient(panicky, 0)

    await step('one of the calls that the panicky client makes fails: it makes all of them again, at once')
    await beginFaults()
    const replies = await makeAllAgain(panicky, panickily)
    const refused = replies.filter(({ status }) => status === 429)
    const failed = replies.filter(({ status }) => status >= 500).length
    outcome(
      panicky,
      `${replies.length} requests of ${CALLS.length}: ${failed} failed, and ${refused.length} refused with 429`,
    )

    await step('the same befalls the right client: it repeats that one call, with backoff, a few times')
    await beginFaults()
    const made = await makeOneAgain(right, await credentialOfClient(right, 1))
    outcome(right, `${made} requests of ${CALLS.length}, and all of them done`)

    await step('the panicky client waits at last')
    const [first] = refused
    if (!first) return judge.inconclusive(RECOVERS, 'its requests did not go over the limit')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(panicky, judge, { first, credential: panickily, refillMs })
  })
}

async function makeAllAgain(target: Target, credential: Credential): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let round = 0; round < numberOf('rounds'); round++) {
    const made: Reply[] = []
    for (const path of CALLS) made.push(await call(target, path, credential))
    replies.push(...made)
    if (made.every(isSuccess)) break
    await elapse(target, HEEDLESS_MS)
  }
  return replies
}

/** Returns how many requests it took. */
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
