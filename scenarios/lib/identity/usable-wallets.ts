import type { Wallet } from '../../../contract/profile.ts'
import { PROBE_WALLETS, type Target } from '../../../contract/scenario-config.ts'

/** Those that may be signed in with: they have access, and are no administrator's. */
export function usableWallets(target: Target): Wallet[] {
  return target.wallets.filter((wallet) => wallet.hasAccess && !wallet.admin)
}

/** Whether probes have to share wallets. */
export function sharesWallets(target: Target): boolean {
  return usableWallets(target).length < PROBE_WALLETS
}
