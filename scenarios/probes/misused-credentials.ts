import type { Target } from '../../contract/scenario-config.ts'
import {
  credentialRead,
  getCredential,
  requireFullCredential,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { findWrongRefusal } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import { type Credential, isSuccess, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

/** Real secrets that are no valid credentials: those of another kind, and those of an ended session. Passes nothing. */
export async function judgeMisused(target: Target, judge: Judge, rule: string): Promise<void> {
  const wallet = walletFor(target, 'signIn')
  await unlessCannot(() =>
    withSession(target, wallet, async (session) => {
      await unlessCannot(() => judgeOtherKinds(target, judge, { rule, session }))
      await withSession(target, wallet, (ended) => judgeEnded(target, judge, { rule, session, ended }))
    }),
  )
}

/** Each kind of secret in the place of another. A server may use one value for two kinds. */
async function judgeOtherKinds(
  target: Target,
  judge: Judge,
  { rule, session }: { rule: string; session: Session },
): Promise<void> {
  const { cookies, wsTicket } = target.profile.choices
  const secretOf = (name: string | null) => (name === null ? undefined : session.cookies.get(name))
  const asked = { method: 'GET', path: '/auth/ws-ticket', credential: getCredential(session) } as const
  const ticket = pickText((await request(target, asked)).json, wsTicket.ticket)
  const access = secretOf(cookies.access)
  const asCookie = (value: string): Credential => ({ cookie: `${cookies.access}=${value}`, csrf: undefined })
  for (const [name, secret] of Object.entries({ ticket, 'refresh token': secretOf(cookies.refresh) })) {
    if (secret === undefined || secret === access) continue
    const places: Record<string, Credential> = name === 'ticket' ? { 'an API token': { bearer: secret } } : {}
    if (access !== undefined) places['an access cookie'] = asCookie(secret)
    for (const [place, credential] of Object.entries(places)) {
      const reply = await request(target, credentialRead(target, credential))
      const seen = `a ${name} in the place of ${place}: ${reply.status}`
      if (isSuccess(reply)) judge.fail(rule, seen, [reply.evidence()])
    }
  }
}

/** The wallet has access, so a 403 is wrong for its ended session. */
async function judgeEnded(
  target: Target,
  judge: Judge,
  { rule, session, ended }: { rule: string; session: Session; ended: Session },
): Promise<void> {
  const credential = requireFullCredential(ended)
  const out = await request(target, { method: 'POST', path: '/auth/logout', credential })
  if (!isSuccess(out)) return
  const wrong = await findWrongRefusal(target, credential, { witness: getCredential(session) })
  if (wrong === undefined) return
  const evidence = [out.evidence(), wrong.reply.evidence()]
  judge.fail(rule, `a session that was logged out: ${wrong.explanation}`, evidence)
}
