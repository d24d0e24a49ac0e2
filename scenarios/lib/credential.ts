import type { Target } from '../../contract/scenario-config.ts'
import type { Credential } from './request.ts'
import { credentialOf, endSession, type Session, signIn } from './session.ts'
import { walletFor } from './wallet.ts'

/** Sessions for reads of this VU, by the address of their target. */
const kept = new Map<string, { target: Target; session: Session }>()

/**
 * A credential for reads: an API token where there is one, else a session of the wallet for reads, signed in once a VU.
 * Throws CannotProbe where the target was given neither.
 */
export async function readCredential(target: Target): Promise<Credential> {
  const [token] = target.apiTokens
  if (token !== undefined) return { bearer: token }
  const name = target.profile.baseUrl
  const known = kept.get(name)
  if (known) return credentialOf(known.session)
  const session = await signIn(target, walletFor(target, 'reads'))
  kept.set(name, { target, session })
  return credentialOf(session)
}

/** Ends the sessions that this VU signed in for its reads. */
export async function endReadSessions(): Promise<void> {
  for (const { target, session } of kept.values()) await endSession(target, session)
  kept.clear()
}
