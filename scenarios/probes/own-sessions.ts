import type { Target } from '../../contract/scenario-config.ts'
import { type MadeToken, withBearer } from '../lib/identity/api-token.ts'
import {
  getCredential,
  isAlive,
  requireFullCredential,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeRejected } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'

const RULE = 'auth.sessions.own-only'

/** Another wallet's sessions must not be listed, and cannot be revoked. */
export const ownSessions: Probe = {
  rules: [RULE],
  world: 'main',
  async run(target, judge) {
    const [wallet, other] = differentWallets(target, 'sessions', 'refreshEnds')
    /** Responses that list a session of the other wallet. Others may sign in with this one, so one proves nothing. */
    const grown: string[] = []
    const watch = async (session: Session) => {
      for (let round = 0; round < 2 && grown.length === round; round++) {
        const before = await listSessions(target, session)
        if (before.ids.length === 0) throw new CannotJudge(`an empty list: ${before.reply.evidence()}`)
        await withSession(target, other, async () => {
          const { ids, reply } = await listSessions(target, session)
          if (ids.some((id) => !before.ids.includes(id))) grown.push(reply.evidence())
        })
      }
    }
    await withSession(target, wallet, async (session) => {
      await watch(session)
      // A list of several sessions may be read in another way than that of one.
      if (grown.length === 0) await withSession(target, wallet, () => watch(session))
      if (grown.length > 1) judge.fail(RULE, 'sessions of another wallet are listed', grown)
      else if (grown.length === 1)
        judge.inconclusive(RULE, 'a session was added, but none the next time', grown)
      else await withSession(target, other, (foreign) => judgeRevoke(target, judge, { session, foreign }))
    })
  },
}

/** The response is open: the foreign session may be unknown to this wallet, or the request ignored. */
async function judgeRevoke(
  target: Target,
  judge: Judge,
  { session, foreign }: { session: Session; foreign: Session },
): Promise<void> {
  const revoked: string[] = []
  for (const id of (await listSessions(target, foreign)).ids)
    revoked.push((await revokeSession(target, { id, by: requireFullCredential(session) })).evidence())
  const { outcome, explanation } = await isStillServed(target, getCredential(foreign), {
    witness: getCredential(session),
  })
  const seen = `sessions of another wallet are not listed; after ${revoked.length} attempts to revoke them: ${outcome}`
  if (outcome === 'unclear') judge.inconclusive(RULE, `${seen}, ${explanation}`, revoked)
  else judge.that(RULE, outcome === 'served', seen, revoked)
}

const BY_SESSION = 'auth.sessions.session-only'

/** A faulty target may end every session of the wallet, so it has its own, and goes last. */
export const sessionsByToken: Probe = {
  rules: [BY_SESSION],
  world: 'main',
  endsSessions: true,
  run(target, judge) {
    const tryAll = async (credential: Credential, mine?: MadeToken) => {
      const { alive, reply } = await isAlive(target, credential)
      if (!alive) throw new CannotJudge(`the API token is rejected everywhere: ${reply.evidence()}`)
      const send = (method: 'GET' | 'POST', path: string) => request(target, { method, path, credential })
      const tries: Reply[] = []
      /** Logouts that also succeed without a credential. */
      const idle: Reply[] = []
      const logOut = async (path: string) => {
        const reply = await send('POST', path)
        const isIdle = isSuccess(reply) && isSuccess(await request(target, { method: 'POST', path }))
        const list = isIdle ? idle : tries
        list.push(reply)
      }
      // Twice, with a list served to a session in between.
      for (let round = 0; round < 2; round++) {
        tries.push(await send('GET', '/auth/sessions'))
        // Before the logout, which may end the session that lists them.
        const ids = mine ? await idsToRevoke(target, mine.session) : []
        await logOut('/auth/logout')
        if (mine === undefined) continue
        for (const id of ids) tries.push(await revokeSession(target, { id, by: credential }))
        await logOut('/auth/logout-all')
        // A rejected request must do nothing.
        const left = await isStillServed(target, getCredential(mine.session), { witness: credential })
        if (left.outcome === 'refused')
          judge.fail(BY_SESSION, `then the session has ended: ${left.explanation}`, [left.reply.evidence()])
        if (tries.some(isSuccess)) break
      }
      if (idle.length > 0) await judgeIdle(target, judge, { credential, mine, idle })
      judgeRejected(judge, BY_SESSION, tries)
    }
    return withBearer(target, { use: 'logoutAll', prefer: 'made' }, tryAll)
  },
}

/**
 * A server may ignore the Authorization header of a logout, and find nothing to end: no violation, if the session and the token are
 * still served. The witness signs in afterwards. Passes nothing. Throws CannotJudge if that is unclear.
 */
async function judgeIdle(
  target: Target,
  judge: Judge,
  { credential, mine, idle }: { credential: Credential; mine: MadeToken | undefined; idle: readonly Reply[] },
): Promise<void> {
  if (mine === undefined) {
    const { alive, reply } = await isAlive(target, credential)
    if (!alive) throw new CannotJudge(`the API token has ended: ${reply.evidence()}`)
    return
  }
  await withSession(target, mine.session.wallet, async (fresh) => {
    for (const [what, one] of [
      ['the session', getCredential(mine.session)],
      ['the API token', credential],
    ] as const) {
      const { outcome, reply, explanation } = await isStillServed(target, one, {
        witness: getCredential(fresh),
      })
      const seen = `a logout by an API token is accepted, and ${what} has ended: ${explanation}`
      if (outcome === 'refused')
        judge.fail(BY_SESSION, seen, [...idle.map((reply) => reply.evidence()), reply.evidence()])
      else if (outcome === 'unclear') throw new CannotJudge(`after a logout by an API token: ${explanation}`)
    }
  })
}

async function idsToRevoke(target: Target, session: Session): Promise<string[]> {
  const { list, id } = target.profile.choices.sessions
  return list === null || id === null ? [] : (await listSessions(target, session)).ids.slice(0, 1)
}
