import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import type { Credential } from '../requests/request.ts'
import { readCredential } from './credential.ts'
import { credentialOf, withSession } from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { walletFor } from './wallet.ts'

/**
 * Hands on each kind of credential that reads: the one for reads, then a session of its wallet if that is an API token. The second kind
 * is left out if no session may be had.
 */
export async function withEachCredential(
  target: Target,
  look: (credential: Credential, kind: 'API token' | 'session') => Promise<void>,
): Promise<void> {
  const credential = await readCredential(target)
  const isToken = 'bearer' in credential
  await look(credential, isToken ? 'API token' : 'session')
  if (!isToken || config.refuses.writes !== null || usableWallets(target).length === 0) return
  await withSession(target, walletFor(target, 'reads'), (session) => look(credentialOf(session), 'session'))
}
