import exec from 'k6/execution'
import { take, taken } from 'k6/x/breakwater'
import { countRequestsPerSession } from '../../../contract/mix-time.ts'
import { config, world } from '../config.ts'
import { sharesWallets } from '../identity/shared-wallets.ts'
import { isMixScenario } from '../mix/mix-scenarios.ts'
import { shareRequests } from '../requests/allowance.ts'
import { limitRequests } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'

/**
 * One VU runs all probes if they share wallets or a clock and so must take turns. Otherwise each lane has a
 * VU, so no lane delays another past a deadline.
 */
export const oneVu = config.given && (sharesWallets(world('main')) || hasControl(world('main')))

/** Sets this VU's request limit. Call when the VU runs, because k6 assigns its scenario only then. */
export function takeShare(): void {
  const { requestsMax, requestsSpent, mix } = config
  limitRequests(() => {
    if (requestsMax === null) return null
    const loadRequests = mix === null ? 0 : countRequestsPerSession(mix)
    const shares = shareRequests({ requestsMax, requestsSpent, loadRequests })
    return { share: shares[isMixScenario(exec.scenario.name) ? 'load' : 'probes'], budget: { take, taken } }
  })
}
