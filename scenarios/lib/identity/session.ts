import { signIn as beginSession, challengeRequest, verifyRequest } from '../../../client/session.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { vuRandom } from '../duties/k6-tools.ts'
import { pick, pickText } from '../pick.ts'
import { GaveUp } from '../requests/patient.ts'
import { isClientError } from '../requests/refusal.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../requests/request.ts'
import { pause } from '../time/pause.ts'
import { CannotJudge, CannotProbe, requireChoice } from '../verdict/judge.ts'
import { beginChallenge, beginSignIn } from './shared-wallets.ts'
import { sign } from './wallet.ts'

export type Session = {
  wallet: Wallet
  cookies: Map<string, string>
  csrf: string | undefined
  verified: Reply
}

/** Signs in like a browser: challenge, signature, verify. Throws CannotJudge if the target rejects it. */
export async function signIn(target: Target, wallet: Wallet): Promise<Session> {
  const signedIn = await beginSignIn(target)
  const verified = await verifyPatiently(target, wallet).finally(signedIn)
  if (!isSuccess(verified)) throw new CannotJudge(`sign-in was rejected: ${verified.evidence()}`)
  return startSession(target, { wallet, verified })
}

const VERIFY_TRIES_MAX = 5
const VERIFY_WAIT_MS_MAX = 600
/** URLs of targets that rejected every try: the profile may name the wrong scheme. */
const rejecting = new Set<string>()

/** For a sign-in that should succeed: starts over after a rejection, at random times. Returns the last response to verify. */
export async function verifyPatiently(target: Target, wallet: Wallet): Promise<Reply> {
  const { baseUrl } = target.profile
  const isPatient = !rejecting.has(baseUrl)
  const send = isPatient ? (spec: RequestSpec) => verifyAgain(target, spec) : undefined
  let verified = await verifyWallet(target, wallet, send)
  for (let tries = 1; isPatient && mayBeReplaced(verified) && tries < VERIFY_TRIES_MAX; tries++) {
    await pause(vuRandom() * VERIFY_WAIT_MS_MAX * tries)
    verified = await verifyWallet(target, wallet, send)
  }
  if (mayBeReplaced(verified)) rejecting.add(baseUrl)
  if (isSuccess(verified)) rejecting.delete(baseUrl)
  return verified
}

const OF_SIGNATURE = [400, 401, 422]
const RESENDS_MAX = 2

/** True for a rejection after the sign-in of another client with the same wallet, which may have replaced the challenge. */
function mayBeReplaced({ status }: Pick<Reply, 'status'>): boolean {
  return status === 409 || OF_SIGNATURE.includes(status)
}

/** Sends a rejected signature again: another replica may have its challenge. The watch over replies compares the two. */
async function verifyAgain(target: Target, spec: RequestSpec): Promise<Reply> {
  let verified = await request(target, spec)
  for (let sent = 0; sent < RESENDS_MAX && OF_SIGNATURE.includes(verified.status); sent++)
    verified = await request(target, spec)
  return verified
}

/** A server that requests a longer wait should be left alone. */
const ANEW_WAIT_MS_MAX = 5000

/** The whole sign-in; returns the response to verify. After a 5xx or no response, starts over once with a new challenge. */
export async function verifyWallet(
  target: Target,
  wallet: Wallet,
  send = (spec: RequestSpec) => request(target, spec),
): Promise<Reply> {
  const begin = () =>
    beginSession(wallet.address, {
      challenge: () => challenge(target, wallet),
      sign: (message) => sign(target, wallet, message),
      verify: send,
    })
  try {
    return await begin()
  } catch (error) {
    const isError = error instanceof GaveUp && (error.reply.status === 0 || error.reply.status >= 500)
    if (!isError || error.waitMs > ANEW_WAIT_MS_MAX) throw error
    await pause(error.waitMs)
    return await begin()
  }
}

export function startSession(
  target: Target,
  { wallet, verified }: { wallet: Wallet; verified: Reply },
): Session {
  const session: Session = { wallet, cookies: new Map(), csrf: undefined, verified }
  takeReply(target, session, verified)
  return session
}

/** Checks whether a response that should not start a session did, and ends that session. */
export async function startsSession(
  target: Target,
  { wallet, reply }: { wallet: Wallet; reply: Reply },
): Promise<boolean> {
  const session = startSession(target, { wallet, verified: reply })
  const alive = session.cookies.size > 0 && (await isAlive(target, getCredential(session))).alive
  if (alive) await endSession(target, session)
  return alive
}

/** Returns the message exactly as the target sent it. */
export async function challenge(target: Target, wallet: Wallet): Promise<string> {
  return (await wholeChallenge(target, wallet)).message
}

/** Like challenge, with its nonce, or an empty one if the response has none. */
export async function wholeChallenge(
  target: Target,
  { address }: Wallet,
): Promise<{ message: string; nonce: string; address: string }> {
  await beginChallenge(target)
  const reply = await request(target, challengeRequest(address))
  const message = pick(reply.json, 'data.message')
  if (typeof message !== 'string')
    throw new CannotJudge(`the challenge contains no message: ${reply.evidence()}`)
  return { message, nonce: pickText(reply.json, 'data.nonce') ?? '', address }
}

export async function verify(target: Target, wallet: Wallet, message: string): Promise<Reply> {
  const signature = await sign(target, wallet, message)
  return await request(target, verifyRequest({ address: wallet.address, signature }))
}

type Cookies = Extract<Credential, { cookie: string }>

const credentials = new WeakMap<Session, Cookies>()

/** Read credential of the session; the same object until the cookies change. */
export function getCredential(session: Session): Cookies {
  const known = credentials.get(session)
  if (known !== undefined) return known
  const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const made = { cookie, csrf: session.csrf }
  credentials.set(session, made)
  return made
}

/** Credential for state-changing requests. Throws CannotProbe if there is no CSRF token. */
export function requireFullCredential(session: Session): ReturnType<typeof getCredential> {
  if (session.csrf === undefined) {
    throw new CannotProbe(
      'no CSRF token at the path of choices.verify.csrfToken, so the session cannot change anything',
      'choice',
    )
  }
  return getCredential(session)
}

/**
 * For the reply to a refresh that must succeed: it changes the session, so without a CSRF token a rejection proves nothing. Throws
 * CannotProbe then.
 */
export function mustHaveSentCsrf(session: Session, reply: Pick<Reply, 'status'>): void {
  if (isClientError(reply)) requireFullCredential(session)
}

/** Refreshes the session and keeps the new cookies on success. */
export async function refresh(target: Target, session: Session): Promise<Reply> {
  const sent = getCredential(session)
  const reply = await request(target, refreshSpec(sent))
  takeRefresh(target, session, { sent, reply })
  return reply
}

/** For sessions to end: what ends a new session may miss one that was rotated. A refresh that fails is no matter here. */
export async function refreshTwice(target: Target, session: Session): Promise<void> {
  for (let time = 0; time < 2; time++) await refresh(target, session).catch(() => undefined)
}

export function refreshSpec(credential: Credential | undefined): RequestSpec {
  return { method: 'POST', path: '/auth/refresh', credential }
}

/**
 * Keeps the cookies of a successful refresh unless the session's cookies have changed since the request was
 * sent: another tab has refreshed or the wallet has signed in again, and this older response would undo that.
 */
export function takeRefresh(
  target: Target,
  session: Session,
  { sent, reply }: { sent: Cookies; reply: Reply },
): void {
  if (isSuccess(reply) && getCredential(session).cookie === sent.cookie) takeReply(target, session, reply)
}

/** Replaces the session in place, for all who share it. */
export function replaceSession(session: Session, { cookies, csrf, verified }: Session): void {
  Object.assign(session, { cookies, csrf, verified })
  credentials.delete(session)
}

/**
 * Applies the cookies of a response like a browser: an empty value deletes the cookie. The specification does
 * not say whether a refresh issues a new CSRF token, so one is taken if present.
 */
export function takeReply(target: Target, session: Session, reply: Reply): void {
  for (const { name, value } of reply.cookies) {
    if (value === '') session.cookies.delete(name)
    else session.cookies.set(name, value)
  }
  credentials.delete(session)
  session.csrf = pickText(reply.json, target.profile.choices.verify.csrfToken) ?? session.csrf
}

/** Drops an expired cookie. */
export function dropCookie(session: Session, name: string): void {
  session.cookies.delete(name)
  credentials.delete(session)
}

/** A copy with its own cookies, such as a second tab. */
export function copySession(session: Session): Session {
  return { ...session, cookies: new Map(session.cookies) }
}

/** Throws CannotProbe if the profile does not name the refresh cookie. */
export function refreshCookieName(target: Target): string {
  return requireChoice(target.profile.choices.cookies.refresh, 'the name of the refresh cookie')
}

/** Reads that require a credential. If one is out of order, the next one is used. */
const CREDENTIAL_READS = ['/swaps', '/fee-tiers', '/schema/trading']
/** URLs of reads that keep failing with a valid credential. */
const outOfOrder = new Set<string>()

/** Returns a read that accepts a valid credential, as far as known. */
export function credentialRead({ profile }: Target, credential: Credential): RequestSpec {
  const path = CREDENTIAL_READS.find((one) => !outOfOrder.has(profile.baseUrl + one)) ?? '/swaps'
  return { method: 'GET', path, ...(path === '/swaps' ? { query: { limit: '1' } } : {}), credential }
}

/** Checks a credential: 200 is alive, 401 is not. Throws CannotJudge on any other status. */
export async function isAlive(
  target: Target,
  credential: Credential,
): Promise<{ alive: boolean; reply: Reply }> {
  const read = credentialRead(target, credential)
  const reply = await request(target, read)
  if (![200, 401, 403].includes(reply.status)) {
    // If another read is served, the credential is good and the first read is out of order.
    for (const path of CREDENTIAL_READS.filter((one) => one !== read.path)) {
      const other = await request(target, { method: 'GET', path, credential })
      if (other.status !== 200) continue
      outOfOrder.add(target.profile.baseUrl + read.path)
      return { alive: true, reply: other }
    }
  }
  if (reply.status !== 200 && reply.status !== 401) {
    throw new CannotJudge(`expected 200 or 401: ${reply.evidence()}`)
  }
  return { alive: reply.status === 200, reply }
}

/** Signs in, runs `use`, and always ends the session. */
export async function withSession(
  target: Target,
  wallet: Wallet,
  use: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await signIn(target, wallet)
  try {
    await use(session)
  } finally {
    await endSession(target, session)
  }
}

/** Ends the session. The result affects no verdict. */
export async function endSession(target: Target, session: Session): Promise<void> {
  await request(target, logoutSpec(session)).catch(() => undefined)
}

export function logoutSpec(session: Session): RequestSpec {
  return { method: 'POST', path: '/auth/logout', credential: getCredential(session) }
}
