import type { Wallet } from '../../../contract/profile.ts'
import { PROBE_WALLETS, type Target } from '../../../contract/scenario-config.ts'
import { CannotProbe } from '../verdict/cannot.ts'

/** What a probe was given so far: uses by name, each with the address of its wallet. */
export type Given = Map<string, string>

/**
 * One of too few wallets. Uses share them, but a use that stands for somebody else gets one that no other use gets, and
 * two uses of one probe never the same. Throws CannotProbe where there is none.
 */
export function shareWallet<Wallet extends { address: string }>(
  wallets: readonly Wallet[],
  options: {
    use: string
    /** Of the use, to spread uses over wallets. */
    number: number
    standsForOther: boolean
    given: Given
  },
): Wallet {
  const { use, number, standsForOther, given } = options
  const last = wallets.length - 1
  const choice = standsForOther || last === 0 ? wallets.slice(last) : wallets.slice(0, last)
  const taken = [...given].filter(([name]) => name !== use).map(([, address]) => address)
  const spread = choice.map((_, index) => choice[(number + index) % choice.length])
  const wallet = spread.find((one) => one !== undefined && !taken.includes(one.address))
  if (wallet === undefined || (standsForOther && last === 0)) {
    const needed = Math.max(taken.length + 1, standsForOther ? 2 : 1)
    throw new CannotProbe(
      wallets.length === 0
        ? 'needs a wallet with access, and the profile names none'
        : `needs ${needed} wallets with access, and the profile names ${wallets.length}`,
      'wallets',
    )
  }
  given.set(use, wallet.address)
  return wallet
}

/** Those that may be signed in with: they have access, and are no administrator's. */
export function usableWallets(target: Target): Wallet[] {
  return target.wallets.filter((wallet) => wallet.hasAccess && !wallet.admin)
}

/** Whether probes have to share wallets. */
export function sharesWallets(target: Target): boolean {
  return usableWallets(target).length < PROBE_WALLETS
}
