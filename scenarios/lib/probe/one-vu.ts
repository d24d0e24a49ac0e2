import exec from 'k6/execution'
import { config, world } from '../config.ts'
import { sharesWallets } from '../identity/usable-wallets.ts'
import { isMixScenario, vusOfMix } from '../mix/mix-scenarios.ts'
import { limitRequests } from '../requests/request-limit.ts'
import { shareRequests } from '../requests/request-shares.ts'
import { hasControl } from '../time/has-control.ts'

/** The most lanes that there may be. */
export const LANES_MAX = 12

const shares = shareRequests({
  requestsMax: config.requestsMax,
  lanesMax: LANES_MAX,
  loadVus: config.requestsMax === null || config.mix === null ? 0 : vusOfMix(config.mix),
  takeTurns: config.given && (sharesWallets(world('main')) || hasControl(world('main'))),
})

/**
 * Whether one VU runs all probes, so that they can take turns: where they share wallets or a clock, and where requests
 * are scarce. Else a VU for each lane, so that no lane's work makes another miss a deadline.
 */
export const oneVu = config.given && shares.oneVu

/** Gives this VU its share of requests: once it runs, as before that it is nobody's. */
export function takeShare(): void {
  limitRequests(() => (isMixScenario(exec.scenario.name) ? shares.ofLoadVu : shares.ofLane))
}
