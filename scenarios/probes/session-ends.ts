import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  credentialOf,
  endSession,
  fullCredentialOf,
  isAlive,
  refresh,
  type Session,
  signIn,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'

type Ending = {
  rule: string
  /** Whether it goes by the list of sessions. */
  lists?: true
  endsSessions?: true
  /** Ends `session`; `known` were in the list before it was signed in. */
  end(target: Target, two: { session: Session; other: Session; known: readonly string[] }): Promise<Reply>
}

const ENDINGS: readonly Ending[] = [
  {
    rule: 'auth.logout.ends-refresh',
    end: (target, { session }) => post(target, '/auth/logout', session),
  },
  { rule: 'auth.sessions.revoke-ends-refresh', lists: true, end: revokeNew },
  {
    rule: 'auth.logout-all.ends-refresh',
    endsSessions: true,
    end: (target, { other }) => post(target, '/auth/logout-all', other),
  },
]

/** A session that has ended stays so: each way to end it, and then a refresh with the cookies from before. */
export const sessionEnds: readonly Probe[] = ENDINGS.map(({ rule, lists, end, ...more }) => ({
  ...more,
  rules: [rule],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'refreshEnds')
    await withSession(target, wallet, async (other) => {
      const known = lists ? (await listSessions(target, other)).ids : []
      const session = await signIn(target, wallet)
      try {
        await mustRefresh(target, session)
        const stale = copySession(session)
        const ended = await end(target, { session, other, known })
        if (!isSuccess(ended)) throw new CannotJudge(`the session was not ended: ${ended.evidence()}`)
        const refreshed = await refresh(target, stale)
        const read = await isAlive(target, credentialOf(stale))
        const back = isSuccess(refreshed) && read.alive
        if (back) await endSession(target, stale)
        const seen = `refresh answered ${refreshed.status}, ${back ? 'and the session is back' : 'no session'}`
        judge.that(rule, !back, seen, [ended.evidence(), refreshed.evidence(), read.reply.evidence()])
      } finally {
        await endSession(target, session)
      }
    })
  },
}))

/** Else a refresh that is refused later shows nothing. */
async function mustRefresh(target: Target, session: Session): Promise<void> {
  const reply = await refresh(target, session)
  if (!isSuccess(reply) || !(await isAlive(target, credentialOf(session))).alive)
    throw new CannotJudge(`a session that has not ended is not refreshed: ${reply.evidence()}`)
}

async function revokeNew(
  target: Target,
  { other, known }: { other: Session; known: readonly string[] },
): Promise<Reply> {
  const { ids } = await listSessions(target, other)
  const added = ids.filter((id) => !known.includes(id))
  const [id] = added
  if (id === undefined || added.length > 1)
    throw new CannotJudge(`which session to revoke is not told: ${added.length} are new`)
  return revokeSession(target, { id, by: fullCredentialOf(other) })
}

function post(target: Target, path: string, session: Session): Promise<Reply> {
  return request(target, { method: 'POST', path, credential: fullCredentialOf(session) })
}
