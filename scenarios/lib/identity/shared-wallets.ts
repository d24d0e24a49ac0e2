import type { Wallet } from '../../../contract/profile.ts'
import { PROBE_WALLETS, type Target } from '../../../contract/scenario-config.ts'
import { CannotProbe } from '../verdict/judge.ts'

/** Wallet addresses that a probe was given, by use. */
export type Given = Map<string, string>

/**
 * Picks a wallet when there are fewer than uses. Uses share wallets, except that a use that stands for
 * another user gets its own, and two uses of one probe never share. Throws CannotProbe if there are too few.
 */
export function shareWallet<Wallet extends { address: string }>(
  wallets: readonly Wallet[],
  options: {
    use: string
    /** Number of the use; spreads uses over wallets. */
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
        ? 'needs a wallet with access, and the profile has none'
        : `needs ${needed} wallets with access, and the profile has ${wallets.length}`,
      'wallets',
    )
  }
  given.set(use, wallet.address)
  return wallet
}

/** Wallets with access, except administrators. */
export function usableWallets(target: Target): Wallet[] {
  return target.wallets.filter((wallet) => wallet.hasAccess && !wallet.admin)
}

export function sharesWallets(target: Target): boolean {
  return usableWallets(target).length < PROBE_WALLETS
}

/**
 * If probes share wallets, a sign-in of one disturbs another that counts sessions or holds a message to sign,
 * so they take turns. Short probes keep their turn to the end (`probe`); probes that wait keep it only for
 * the sign-in.
 */
export type Stay = 'probe' | 'sign-in'

const turns = createTurns()
const stays = new WeakMap<Target, Stay>()

/** Makes the sign-ins of this probe, identified by its target, wait for their turn. */
export function signInByTurns(target: Target, stay: Stay): void {
  stays.set(target, stay)
}

/** Waits for the turn. Call the returned function after the sign-in. */
export async function beginSignIn(target: Target): Promise<() => void> {
  const stay = stays.get(target)
  if (stay === undefined) return () => {}
  await turns.enter(target)
  return stay === 'sign-in' ? () => turns.leave(target) : () => {}
}

/** For probes that request a challenge without signing in. */
export async function beginChallenge(target: Target): Promise<void> {
  if (stays.get(target) === 'probe') await turns.enter(target)
}

/** Call at the end of each probe. */
export function endTurn(target: Target): void {
  turns.leave(target)
}

/** A reentrant lock that grants entry in order of arrival. */
export function createTurns() {
  let holder: object | undefined
  const waiting: { owner: object; go: () => void }[] = []
  return {
    async enter(owner: object): Promise<void> {
      if (holder === owner) return
      if (holder !== undefined || waiting.length > 0) {
        await new Promise<void>((go) => waiting.push({ owner, go }))
      } else holder = owner
    },
    leave(owner: object): void {
      if (holder !== owner) return
      const next = waiting.shift()
      // Handed over synchronously, so no one can enter in between.
      holder = next?.owner
      next?.go()
    },
  }
}
