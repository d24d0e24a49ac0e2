import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import type { Credential } from './request.ts'
import { credentialOf, endSession, isAlive, type Session, signIn } from './session.ts'
import { walletFor } from './wallet.ts'

/** What reads of this VU use, by the address of their target; a session is ended with the lane. */
const kept = new Map<string, { target: Target; credential: Credential; session?: Session }>()

/**
 * A credential for reads that is known to work: an API token where there is one, else a session of the wallet for reads,
 * signed in once a VU. Throws CannotProbe where the target was given neither, CannotJudge where it refuses what it was given.
 */
export async function readCredential(target: Target): Promise<Credential> {
  const name = target.profile.baseUrl
  const known = kept.get(name)
  if (known) return known.credential
  const [token] = target.apiTokens
  const session = token === undefined ? await signIn(target, walletFor(target, 'reads')) : undefined
  const credential = session ? credentialOf(session) : { bearer: token ?? '' }
  kept.set(name, { target, credential, ...(session ? { session } : {}) })
  const { alive, reply } = await isAlive(target, credential)
  if (!alive) throw new CannotJudge(`the credential for reads is refused: ${reply.evidence()}`)
  return credential
}

/** Ends the sessions that this VU signed in for its reads. */
export async function endReadSessions(): Promise<void> {
  for (const { target, session } of kept.values()) if (session) await endSession(target, session)
  kept.clear()
}
