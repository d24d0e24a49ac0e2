import type { Target } from '../../contract/scenario-config.ts'
import type { Credential } from './request.ts'
import { credentialOf, signIn } from './session.ts'
import { walletFor } from './wallet.ts'

const kept = new Map<string, Credential>()

/**
 * A credential for reads: an API token where there is one, else a session of the wallet for reads, signed in once a VU.
 * Throws CannotProbe where the target was given neither.
 */
export async function readCredential(target: Target): Promise<Credential> {
  const [token] = target.apiTokens
  if (token !== undefined) return { bearer: token }
  const name = target.profile.baseUrl
  const known = kept.get(name)
  if (known) return known
  const credential = credentialOf(await signIn(target, walletFor(target, 'reads')))
  kept.set(name, credential)
  return credential
}
