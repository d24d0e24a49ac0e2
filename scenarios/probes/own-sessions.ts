import type { Target } from '../../contract/scenario-config.ts'
import { getCredential, requireFullCredential, type Session, withSession } from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
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
