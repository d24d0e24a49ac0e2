import exec from 'k6/execution'
import { take, taken } from 'k6/x/breakwater'
import { requestsOfMix } from '../../../contract/mix-time.ts'
import { config, world } from '../config.ts'
import { sharesWallets } from '../identity/shared-wallets.ts'
import { isMixScenario } from '../mix/mix-scenarios.ts'
import { shareRequests } from '../requests/allowance.ts'
import { limitRequests } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'

/**
 * Whether one VU runs all probes, so that they can take turns: where they share wallets or a clock. Else a VU for each lane,
 * so that no lane's work makes another miss a deadline.
 */
export const oneVu = config.given && (sharesWallets(world('main')) || hasControl(world('main')))

/** Gives this VU its share of requests: once it runs, as before that it is nobody's. */
export function takeShare(): void {
  const { requestsMax, requestsSpent, mix } = config
  limitRequests(() => {
    if (requestsMax === null) return null
    const loadRequests = mix === null ? 0 : requestsOfMix(mix)
    const shares = shareRequests({ requestsMax, requestsSpent, loadRequests })
    return { share: shares[isMixScenario(exec.scenario.name) ? 'load' : 'probes'], budget: { take, taken } }
  })
}
