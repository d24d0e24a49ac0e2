import type { Target } from '../../../contract/scenario-config.ts'

/**
 * Where probes share wallets, a sign-in of one disturbs another that counts sessions, or that has a message to sign. So
 * they sign in one at a time. A probe that takes moments keeps its turn to its end; one that waits only for the sign-in.
 */
export type Stay = 'probe' | 'sign-in'

const turns = createTurns()
const stays = new WeakMap<Target, Stay>()

/** From now on the sign-ins of this probe, which is known by its target, wait for their turn. */
export function signInByTurns(target: Target, stay: Stay): void {
  stays.set(target, stay)
}

/** Waits for the turn; what it returns is to be called once signed in. */
export async function beginSignIn(target: Target): Promise<() => void> {
  const stay = stays.get(target)
  if (stay === undefined) return () => {}
  await turns.enter(target)
  return stay === 'sign-in' ? () => turns.leave(target) : () => {}
}

/** For a probe that asks for a message to sign without signing in by it. */
export async function beginChallenge(target: Target): Promise<void> {
  if (stays.get(target) === 'probe') await turns.enter(target)
}

/** To be called at the end of each probe. */
export function endTurn(target: Target): void {
  turns.leave(target)
}

/**
 * Turns at something that only one may be at: who enters waits until all before it have left. Entering twice is entering
 * once.
 */
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
      // Handed on before anyone else can come in between.
      holder = next?.owner
      next?.go()
    },
  }
}
