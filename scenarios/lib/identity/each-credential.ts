import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import type { Credential } from '../requests/request.ts'
import { readCredential } from './credential.ts'
import { getCredential, withSession } from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { walletFor } from './wallet.ts'

/**
 * Runs `look` with the read credential and, if that is an API token, also with a session. Skips the session
 * if none is available.
 */
export async function withEachCredential(
  target: Target,
  check: (credential: Credential, kind: 'API token' | 'session') => Promise<void>,
): Promise<void> {
  const credential = await readCredential(target)
  const isToken = 'bearer' in credential
  await check(credential, isToken ? 'API token' : 'session')
  if (!isToken || config.refuses.writes !== null || usableWallets(target).length === 0) return
  await withSession(target, walletFor(target, 'reads'), (session) => check(getCredential(session), 'session'))
}
