// A client exceeds its limit and ignores 429; another waits for Retry-After.

import { readClientCredential } from '../lib/case/follower.ts'
import {
  awaitRetryAfter,
  HEEDLESS_MS,
  readStatus,
  requestUntilLimited,
  requireRateLimit,
} from '../lib/case/over-the-limit.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('burst') }

const BURST = 'rate-limit.burst.429'
const RECOVERS = 'rate-limit.wait.recovers'

export function burst(): Promise<void> {
  return runCase([BURST, RECOVERS], async (judge) => {
    const heedless = actor('heedless-client')
    const right = actor('right-client')
    const limit = requireRateLimit(heedless)
    const heedlessly = await readClientCredential(heedless, 0)
    const rightly = await readClientCredential(right, 1)

    await step('the heedless client sends requests without a pause')
    const first = await requestUntilLimited(heedless, judge, { limit, credential: heedlessly, rule: BURST })

    await step('it gets 429, and continues')
    const retries = readNumber('retries')
    let refused = 0
    for (let count = 0; count < retries; count++) {
      await elapse(heedless, HEEDLESS_MS)
      if ((await readStatus(heedless, heedlessly)).status === 429) refused++
    }
    outcome(heedless, `${refused} of ${retries} further requests got 429: no progress`)

    await step('the right client reaches its limit too, stops, and waits for Retry-After')
    const limited = await requestUntilLimited(right, judge, { limit, credential: rightly, rule: BURST })
    await awaitRetryAfter(right, limited)
    const { status } = await readStatus(right, rightly)
    outcome(right, `one request got 429, and ${status} after the wait`)

    await step('the heedless client finally waits')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(heedless, judge, { first, credential: heedlessly, refillMs })
  })
}
