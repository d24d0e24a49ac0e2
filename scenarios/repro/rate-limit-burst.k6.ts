// A client goes over its limit, and on through 429; another waits as it is told.
import { actor, numberOf, outcome, step } from '../lib/case/actor.ts'
import { credentialOfClient } from '../lib/case/follower.ts'
import { askUntilRefused, HEEDLESS_MS, limitOf, readStatus, waitAsTold } from '../lib/case/over-the-limit.ts'
import { play } from '../lib/case/play.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeRecovery } from '../probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('burst') }

const BURST = 'rate-limit.burst.429'
const RECOVERS = 'rate-limit.wait.recovers'

export function burst(): Promise<void> {
  return play([BURST, RECOVERS], async (judge) => {
    const heedless = actor('heedless-client')
    const right = actor('right-client')
    const limit = limitOf(heedless)
    const heedlessly = await credentialOfClient(heedless, 0)
    const rightly = await credentialOfClient(right, 1)

    await step('the heedless client asks and asks')
    const first = await askUntilRefused(heedless, judge, { limit, credential: heedlessly, rule: BURST })

    await step('it is refused, and goes on')
    const insists = numberOf('insists')
    let refused = 0
    for (let count = 0; count < insists; count++) {
      await elapse(heedless, HEEDLESS_MS)
      if ((await readStatus(heedless, heedlessly)).status === 429) refused++
    }
    outcome(heedless, `${refused} of ${insists} further requests refused: it gets nowhere`)

    await step('the right client comes to its limit as well, stops, and waits as long as it is told')
    const told = await askUntilRefused(right, judge, { limit, credential: rightly, rule: BURST })
    await waitAsTold(right, told)
    const { status } = await readStatus(right, rightly)
    outcome(right, `one request refused, and after the wait ${status}`)

    await step('the heedless client waits at last')
    const refillMs = (limit.burst / limit.perSecond) * 1000
    await judgeRecovery(heedless, judge, { first, credential: heedlessly, refillMs })
  })
}
