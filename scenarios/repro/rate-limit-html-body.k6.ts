// A 429 has an HTML body: one client fails to parse it, the other uses status and header.

import { readClientCredential } from '../lib/case/follower.ts'
import {
  awaitRetryAfter,
  HEEDLESS_MS,
  readStatus,
  requestUntilLimited,
  requireRateLimit,
} from '../lib/case/over-the-limit.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('html') }

const BURST = 'rate-limit.burst.429'
const RECOVERS = 'rate-limit.wait.recovers'

export function html(): Promise<void> {
  return runCase([RECOVERS], async (judge) => {
    const fragile = actor('fragile-client')
    const right = actor('right-client')
    mustHaveControl(right, 'a proxy in front of the exchange')
    const limit = requireRateLimit(fragile)
    const fragilely = await readClientCredential(fragile, 0)
    const rightly = await readClientCredential(right, 1)
    await beginFaults()

    await step('the fragile client reaches its limit, and parses the body of the 429')
    const first = await requestUntilLimited(fragile, judge, { limit, credential: fragilely, rule: BURST })
    const problem = parse(first.text)
    let refused = 0
    for (let count = 0; count < readNumber('retries'); count++) {
      await elapse(fragile, HEEDLESS_MS)
      if ((await readStatus(fragile, fragilely)).status === 429) refused++
    }
    outcome(fragile, `${problem}; it never reads Retry-After, and ${refused} further requests get 429`)

    await step('the right client uses the status, and waits for Retry-After')
    const limited = await requestUntilLimited(right, judge, { limit, credential: rightly, rule: BURST })
    await awaitRetryAfter(right, limited)
    outcome(right, `got ${(await readStatus(right, rightly)).status} after the wait`)

    await step('the fragile client finally waits')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(fragile, judge, { first, credential: fragilely, refillMs })
  })
}

function parse(text: string): string {
  try {
    JSON.parse(text)
    return 'the body is JSON'
  } catch (error) {
    return `parsing the body failed: ${error}`
  }
}
