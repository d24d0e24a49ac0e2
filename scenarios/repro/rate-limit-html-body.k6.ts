// A 429 comes with a page of HTML: one client breaks on it, the other goes by status and header.
import { actor, numberOf, outcome, step } from '../lib/case/actor.ts'
import { credentialOfClient } from '../lib/case/follower.ts'
import { askUntilRefused, HEEDLESS_MS, limitOf, readStatus, waitAsTold } from '../lib/case/over-the-limit.ts'
import { beginFaults, play } from '../lib/case/play.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('html') }

const BURST = 'rate-limit.burst.429'
const RECOVERS = 'rate-limit.wait.recovers'

export function html(): Promise<void> {
  return play([RECOVERS], async (judge) => {
    const fragile = actor('fragile-client')
    const right = actor('right-client')
    mustHaveControl(right, 'a proxy in front of the exchange')
    const limit = limitOf(fragile)
    const fragilely = await credentialOfClient(fragile, 0)
    const rightly = await credentialOfClient(right, 1)
    await beginFaults()

    await step('the fragile client comes to its limit, and parses the body of the refusal')
    const first = await askUntilRefused(fragile, judge, { limit, credential: fragilely, rule: BURST })
    const problem = parse(first.text)
    let refused = 0
    for (let count = 0; count < numberOf('insists'); count++) {
      await elapse(fragile, HEEDLESS_MS)
      if ((await readStatus(fragile, fragilely)).status === 429) refused++
    }
    outcome(
      fragile,
      `${problem}; it never sees how long to wait, and ${refused} further requests are refused`,
    )

    await step('the right client goes by the status, and waits as long as the header says')
    const told = await askUntilRefused(right, judge, { limit, credential: rightly, rule: BURST })
    await waitAsTold(right, told)
    outcome(right, `served with ${(await readStatus(right, rightly)).status} after the wait`)

    await step('the fragile client waits at last')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(fragile, judge, { first, credential: fragilely, refillMs })
  })
}

function parse(text: string): string {
  try {
    JSON.parse(text)
    return 'the body is JSON'
  } catch (error) {
    return `it breaks on the body: ${error}`
  }
}
