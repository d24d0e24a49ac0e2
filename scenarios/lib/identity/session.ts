import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows, pickText } from '../pick.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../requests/request.ts'
import { CannotJudge, CannotProbe, told } from '../verdict/cannot.ts'
import { beginChallenge, beginSignIn } from './sign-in-turns.ts'
import { sign } from './wallet.ts'

/** A signed-in browser: its cookies by name, and its CSRF token. */
export type Session = {
  wallet: Wallet
  cookies: Map<string, string>
  csrf: string | undefined
  verified: Reply
}

/** The sign-in of a browser: challenge, signature, verify. Throws CannotJudge where the target refuses it. */
export async function signIn(target: Target, wallet: Wallet): Promise<Session> {
  const signedIn = await beginSignIn(target)
  const verified = await challenge(target, wallet)
    .then((message) => verify(target, wallet, message))
    .finally(signedIn)
  if (!isSuccess(verified)) throw new CannotJudge(`sign-in was refused: ${verified.evidence()}`)
  return startSession(target, { wallet, verified })
}

/** What a browser holds after an answer to verify. */
export function startSession(
  target: Target,
  { wallet, verified }: { wallet: Wallet; verified: Reply },
): Session {
  const session: Session = { wallet, cookies: new Map(), csrf: undefined, verified }
  takeReply(target, session, verified)
  return session
}

/** Whether an answer that should not have started a session did so: one that reads. It is ended then. */
export async function startsSession(
  target: Target,
  { wallet, reply }: { wallet: Wallet; reply: Reply },
): Promise<boolean> {
  const session = startSession(target, { wallet, verified: reply })
  const alive = session.cookies.size > 0 && (await isAlive(target, credentialOf(session))).alive
  if (alive) await endSession(target, session)
  return alive
}

/** The message to sign, exactly as the target gave it. */
export async function challenge(target: Target, wallet: Wallet): Promise<string> {
  return (await wholeChallenge(target, wallet)).message
}

/** As challenge, with its nonce; empty where there is none. */
export async function wholeChallenge(
  target: Target,
  { address }: Wallet,
): Promise<{ message: string; nonce: string; address: string }> {
  await beginChallenge(target)
  const reply = await request(target, {
    method: 'POST',
    path: '/auth/challenge',
    body: { address },
    repeatable: true,
  })
  const message = pick(reply.json, 'data.message')
  if (typeof message !== 'string') throw new CannotJudge(`the challenge has no message: ${reply.evidence()}`)
  return { message, nonce: pickText(reply.json, 'data.nonce') ?? '', address }
}

/** Signs the challenge's message, exactly as it came, and sends the signature. */
export async function verify(target: Target, wallet: Wallet, message: string): Promise<Reply> {
  const signature = await sign(target, wallet, message)
  const body = { address: wallet.address, signature }
  return await request(target, { method: 'POST', path: '/auth/verify', body })
}

type Cookies = Extract<Credential, { cookie: string }>

const credentials = new WeakMap<Session, Cookies>()

/** What reads of this session send: the same object until its cookies change. */
export function credentialOf(session: Session): Cookies {
  const known = credentials.get(session)
  if (known !== undefined) return known
  const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const made = { cookie, csrf: session.csrf }
  credentials.set(session, made)
  return made
}

/** What state-changing requests of this session send. Throws CannotProbe where the CSRF token is not to be found. */
export function fullCredentialOf(session: Session): ReturnType<typeof credentialOf> {
  if (session.csrf === undefined) {
    throw new CannotProbe(
      'no CSRF token where the profile says it lies, so nothing can be changed in a session',
      'choice',
    )
  }
  return credentialOf(session)
}

/** Refreshes the session, and keeps the fresh cookies where it succeeds. */
export async function refresh(target: Target, session: Session): Promise<Reply> {
  const sent = credentialOf(session)
  const reply = await request(target, refreshSpec(sent))
  takeRefresh(target, session, { sent, reply })
  return reply
}

/** The request that refreshes a session, for those who send it in their own way. */
export function refreshSpec(credential: Credential): RequestSpec {
  return { method: 'POST', path: '/auth/refresh', credential }
}

/**
 * Keeps the cookies of a refresh that succeeded, where the session still has those that it was sent with: else another tab
 * has refreshed since, or the wallet has signed in anew, and the older answer would undo that.
 */
export function takeRefresh(
  target: Target,
  session: Session,
  { sent, reply }: { sent: Cookies; reply: Reply },
): void {
  if (isSuccess(reply) && credentialOf(session).cookie === sent.cookie) takeReply(target, session, reply)
}

/** Goes on with what a new sign-in gave: all that share the session do. */
export function replaceSession(session: Session, { cookies, csrf, verified }: Session): void {
  Object.assign(session, { cookies, csrf, verified })
  credentials.delete(session)
}

/**
 * Keeps what a sign-in or a refresh sets, as a browser does: a cookie set empty is gone. Whether a refresh hands out a new
 * CSRF token is not stated: it is taken where there is one.
 */
export function takeReply(target: Target, session: Session, reply: Reply): void {
  for (const { name, value } of reply.cookies) {
    if (value === '') session.cookies.delete(name)
    else session.cookies.set(name, value)
  }
  credentials.delete(session)
  session.csrf = pickText(reply.json, target.profile.choices.verify.csrfToken) ?? session.csrf
}

/** Forgets a cookie, as a browser does when its time is over. */
export function dropCookie(session: Session, name: string): void {
  session.cookies.delete(name)
  credentials.delete(session)
}

/** A copy of the session that goes its own way: as a second tab, before it shares what the first one got. */
export function copySession(session: Session): Session {
  return { ...session, cookies: new Map(session.cookies) }
}

/** The cookie that holds the refresh token. Throws CannotProbe where the profile does not tell. */
export function refreshCookieName(target: Target): string {
  return told(target.profile.choices.cookies.refresh, 'the name of the refresh cookie')
}

/** Reads that take a credential: the next one serves where one is out of order. */
const CREDENTIAL_READS = ['/swaps', '/fee-tiers', '/schema/trading']
/** Addresses of those that answer a good credential with an error that persists. */
const outOfOrder = new Set<string>()

/** A read that takes a credential, and that a good one opens as far as is known. */
export function credentialRead({ profile }: Target, credential: Credential): RequestSpec {
  const path = CREDENTIAL_READS.find((one) => !outOfOrder.has(profile.baseUrl + one)) ?? '/swaps'
  return { method: 'GET', path, ...(path === '/swaps' ? { query: { limit: '1' } } : {}), credential }
}

/** Whether the credential still opens a credentialed read: yes (200), no (401), or what else came. */
export async function isAlive(
  target: Target,
  credential: Credential,
): Promise<{ alive: boolean; reply: Reply }> {
  const read = credentialRead(target, credential)
  const reply = await request(target, read)
  if (![200, 401, 403].includes(reply.status)) {
    // One that is served elsewhere is good, so it is the read that is out of order: to most rules that is no matter.
    for (const path of CREDENTIAL_READS.filter((one) => one !== read.path)) {
      const other = await request(target, { method: 'GET', path, credential })
      if (other.status !== 200) continue
      outOfOrder.add(target.profile.baseUrl + read.path)
      return { alive: true, reply: other }
    }
  }
  if (reply.status !== 200 && reply.status !== 401) {
    throw new CannotJudge(`neither served nor refused with 401: ${reply.evidence()}`)
  }
  return { alive: reply.status === 200, reply }
}

/** Signs in, hands the session on, and ends it whatever comes: a probe leaves nothing behind. */
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

/** Ends the session. Its outcome is nobody's verdict. */
export async function endSession(target: Target, session: Session): Promise<void> {
  await request(target, {
    method: 'POST',
    path: '/auth/logout',
    credential: credentialOf(session),
  }).catch(() => undefined)
}

/** The ids of the sessions that the wallet of a session has. Throws CannotJudge where the list cannot be read. */
export async function listSessions(
  target: Target,
  session: Session,
): Promise<{ ids: string[]; reply: Reply }> {
  const { sessions } = target.profile.choices
  const list = told(sessions.list, 'where the sessions are listed')
  const id = told(sessions.id, 'where a session has its id')
  const reply = await request(target, {
    method: 'GET',
    path: '/auth/sessions',
    credential: credentialOf(session),
  })
  const ids = pickRows(reply.json, list)?.map((row) => pickText(row, id))
  if (!ids || ids.includes(undefined))
    throw new CannotJudge(`no list of sessions with ids: ${reply.evidence()}`)
  return { ids: ids.filter((one) => one !== undefined), reply }
}

/** Ends a session by its id, with the credential of another session, or of whoever must not. */
export function revokeSession(target: Target, { id, by }: { id: string; by: Credential }): Promise<Reply> {
  return request(target, {
    method: 'POST',
    path: `/auth/sessions/${encodeURIComponent(id)}/revoke`,
    route: '/auth/sessions/{session_id}/revoke',
    credential: by,
  })
}
