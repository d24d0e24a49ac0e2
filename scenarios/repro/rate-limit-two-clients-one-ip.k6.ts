// Two bots behind one address: the greedy one uses up their shared limit.

import { readClientCredential } from '../lib/case/follower.ts'
import { HEEDLESS_MS, readStatus, requestUntilLimited, requireRateLimit } from '../lib/case/over-the-limit.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { CannotProbe } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('share') }

const BURST = 'rate-limit.burst.429'
const RECOVERS = 'rate-limit.wait.recovers'

export function share(): Promise<void> {
  return runCase([BURST, RECOVERS], async (judge) => {
    const greedy = actor('greedy-bot')
    const modest = actor('modest-bot')
    const limit = requireRateLimit(greedy)
    if (limit.per !== 'address')
      throw new CannotProbe('the profile says that the limit applies per credential, not per address')
    const greedily = await readClientCredential(greedy, 0)
    const modestly = await readClientCredential(modest, 1)

    const rounds = readNumber('rounds')
    await step('the greedy bot uses up the limit')
    const first = await requestUntilLimited(greedy, judge, { limit, credential: greedily, rule: BURST })

    await step('the modest bot sends its first request')
    const starved = await readStatus(modest, modestly)
    outcome(modest, `got ${starved.status} for its first request`)

    await step('the greedy bot ignores 429, and takes all requests that become available')
    let taken = 0
    for (let count = 0; count < rounds; count++) {
      await elapse(greedy, HEEDLESS_MS)
      if (isSuccess(await readStatus(greedy, greedily))) taken++
    }
    const again = await readStatus(modest, modestly)
    outcome(greedy, `${taken} more requests served in ${(rounds * HEEDLESS_MS) / 1000} s`)
    outcome(modest, `got ${again.status} for its second request`)

    await step('both wait for Retry-After')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(modest, judge, {
      first: starved.status === 429 ? starved : first,
      credential: modestly,
      refillMs,
    })

    await step('from now on each keeps to half of the limit')
    const served = { greedy: 0, modest: 0 }
    for (let round = 0; round < rounds; round++) {
      await elapse(greedy, Math.ceil(2000 / limit.perSecond))
      if (isSuccess(await readStatus(greedy, greedily))) served.greedy++
      if (isSuccess(await readStatus(modest, modestly))) served.modest++
    }
    outcome(greedy, `${served.greedy} of ${rounds} requests served`)
    outcome(modest, `${served.modest} of ${rounds} requests served`)
  })
}
