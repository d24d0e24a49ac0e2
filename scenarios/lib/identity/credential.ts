import type { Target } from '../../../contract/scenario-config.ts'
import { config } from '../config.ts'
import { type Credential, isSuccess, type Reply } from '../requests/request.ts'
import { CannotJudge, CannotProbe, ifPossible, unlessCannot } from '../verdict/judge.ts'
import {
  endSession,
  getCredential,
  isAlive,
  type Session,
  signIn,
  startSession,
  verifyWallet,
  withSession,
} from './session.ts'
import { usableWallets } from './shared-wallets.ts'
import { walletFor } from './wallet.ts'

type CredentialCheck = { credential: Credential; alive: boolean; reply: Reply }

/** Read credentials of this VU by target address; concurrent probes share them. */
const kept = new Map<string, Promise<CredentialCheck>>()
/** Sessions for reads. They end with the lane, even if rejected. */
const signedIn: { target: Target; session: Session }[] = []

/**
 * Returns a working read credential: an API token if the target accepts one, else a session of the `reads` wallet,
 * signed in once per VU. Throws CannotProbe if the target was given neither, and CannotJudge for every caller
 * if the target rejects it.
 */
export async function readCredential(target: Target): Promise<Credential> {
  const name = target.profile.baseUrl
  const pending = kept.get(name) ?? checkCredential(target)
  kept.set(name, pending)
  const { credential, alive, reply } = await pending.catch((error: unknown) => {
    // A transient error is not cached: the next caller tries again.
    if (kept.get(name) === pending) kept.delete(name)
    throw error
  })
  if (!alive) throw new CannotJudge(`the credential for reads was rejected: ${reply.evidence()}`)
  return credential
}

/** Tokens to try: many may have expired together. */
const TOKENS_MAX = 3

async function checkCredential(target: Target): Promise<CredentialCheck> {
  const rejected: CredentialCheck[] = []
  for (const token of target.apiTokens.slice(0, TOKENS_MAX)) {
    const credential = { bearer: token }
    const checked = { credential, ...(await isAlive(target, credential)) }
    if (checked.alive) return checked
    rejected.push(checked)
  }
  const [token] = rejected
  const whyNot = whyNoSession(target)
  if (token && whyNot !== undefined) return token
  if (whyNot !== undefined)
    throw new CannotProbe(
      `needs an API token (${target.profile.credentials.apiTokens.env})${whyNot}`,
      'token',
    )
  // Probes share this session, so it waits for no probe's turn.
  const session = await signIn({ ...target }, walletFor(target, 'reads'))
  const credential = keep(target, session)
  return { credential, ...(await isAlive(target, credential)) }
}

function whyNoSession(target: Target): string | undefined {
  const { writes } = config.refuses
  if (writes !== null) return `, because signing in changes state: ${writes}`
  return usableWallets(target).length === 0 ? ' or a wallet with access (credentials.wallets)' : undefined
}

const ofEachKind = new Map<string, Promise<readonly Credential[]>>()

/**
 * Returns the read credential, a session and the session of a wallet without access, as far as there are any. Signs in once per
 * VU, and not if writes are refused.
 */
export function listCredentials(target: Target): Promise<readonly Credential[]> {
  const name = target.profile.baseUrl
  const pending = ofEachKind.get(name) ?? obtainEachKind(target)
  ofEachKind.set(name, pending)
  return pending
}

async function obtainEachKind(target: Target): Promise<readonly Credential[]> {
  const found: Credential[] = []
  await unlessCannot(async () => void found.push(await readCredential(target)))
  if (config.refuses.writes !== null) return found
  await unlessCannot(async () => {
    if (found.some((credential) => 'cookie' in credential) || usableWallets(target).length === 0) return
    found.push(keep(target, await signIn(target, walletFor(target, 'reads'))))
  })
  await unlessCannot(async () => {
    const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
    if (wallet === undefined) return
    const verified = await verifyWallet(target, wallet)
    if (isSuccess(verified)) found.push(keep(target, startSession(target, { wallet, verified })))
  })
  return found
}

/** Returns a session of a wallet other than that of `reads`, if possible: for sockets that must share no limit with those of reads. */
export async function otherCredential(target: Target): Promise<Credential | undefined> {
  if (config.refuses.writes !== null) return undefined
  return ifPossible(async () =>
    keep(target, await signIn({ ...target }, walletFor(target, 'foreignBalance'))),
  )
}

function keep(target: Target, session: Session): Credential {
  signedIn.push({ target, session })
  return getCredential(session)
}

export async function endReadSessions(): Promise<void> {
  for (const { target, session } of signedIn.splice(0)) await endSession(target, session)
  kept.clear()
  ofEachKind.clear()
}

/**
 * Runs `check` with the read credential and, if that is an API token, also with a session. Skips the session
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
