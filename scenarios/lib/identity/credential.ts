import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import type { Credential, Reply } from '../requests/request.ts'
import { CannotJudge, CannotProbe } from '../verdict/cannot.ts'
import { credentialOf, endSession, isAlive, type Session, signIn } from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { walletFor } from './wallet.ts'

type Answer = { credential: Credential; alive: boolean; reply: Reply }

/** What reads of this VU use, by the address of their target; probes that run side by side share one. */
const kept = new Map<string, Promise<Answer>>()
/** Signed in for reads; ended with the lane, refused or not. */
const signedIn: { target: Target; session: Session }[] = []

/**
 * A credential for reads that is known to work: an API token where there is one, else a session of the wallet for reads,
 * signed in once a VU. Throws CannotProbe where the target was given neither, CannotJudge where it refuses what it was
 * given: to every caller alike.
 */
export async function readCredential(target: Target): Promise<Credential> {
  const name = target.profile.baseUrl
  const asked = kept.get(name) ?? ask(target)
  kept.set(name, asked)
  const { credential, alive, reply } = await asked.catch((error: unknown) => {
    // Passing trouble is no answer: the next caller asks again.
    if (kept.get(name) === asked) kept.delete(name)
    throw error
  })
  if (!alive) throw new CannotJudge(`the credential for reads is refused: ${reply.evidence()}`)
  return credential
}

async function ask(target: Target): Promise<Answer> {
  const credential = await obtain(target)
  return { credential, ...(await isAlive(target, credential)) }
}

async function obtain(target: Target): Promise<Credential> {
  const [token] = target.apiTokens
  if (token !== undefined) return { bearer: token }
  const needs = `needs an API token (${target.profile.credentials.apiTokens.env})`
  if (config.refuses.writes !== null)
    throw new CannotProbe(`${needs}, as signing in is a change: ${config.refuses.writes}`, 'token')
  if (usableWallets(target).length === 0)
    throw new CannotProbe(`${needs} or a wallet with access (credentials.wallets)`, 'token')
  // Shared by probes, hence in no probe's turn.
  const session = await signIn({ ...target }, walletFor(target, 'reads'))
  signedIn.push({ target, session })
  return credentialOf(session)
}

/** Ends the sessions that this VU signed in for its reads. */
export async function endReadSessions(): Promise<void> {
  for (const { target, session } of signedIn.splice(0)) await endSession(target, session)
  kept.clear()
}
