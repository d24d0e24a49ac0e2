import type { Target } from '../../../contract/scenario-config.ts'

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
