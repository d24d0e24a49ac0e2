import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import type { Credential } from '../requests/request.ts'
import { within } from '../time/pause.ts'
import { ifPossible } from '../verdict/judge.ts'
import { endSession, type Session, signIn } from './session.ts'
import { endTurn } from './shared-wallets.ts'
import { walletFor } from './wallet.ts'

/** Other probes may take their turns to sign in with the same wallet: this one does not wait for them. */
const SIGN_IN_MS_MAX = 10_000

/** Signs in, if the other credential is an API token: a server may treat sessions differently. */
export async function signInToo(target: Target, credential: Credential): Promise<Session | undefined> {
  if (!('bearer' in credential) || config.refuses.writes !== null) return undefined
  return ifPossible(async () => {
    const signingIn = signIn(target, walletFor(target, 'feed'))
    const session = await within(SIGN_IN_MS_MAX, signingIn)
    // A late turn may be granted after the end of the probe.
    if (session === undefined)
      signingIn
        .then((late) => endSession(target, late))
        .catch(() => undefined)
        .finally(() => endTurn(target))
    return session
  })
}
