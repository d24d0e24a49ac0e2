import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  endSession,
  getCredential,
  isAlive,
  mustHaveSentCsrf,
  refresh,
  requireFullCredential,
  type Session,
  signIn,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'

type Ending = {
  rule: string
  lists?: true
  endsSessions?: true
  /** Ends `session`; `known` are the ids listed before it signed in. */
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

/** An ended session stays ended: ends one each way, then refreshes with its old cookies. */
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
        const read = await isAlive(target, getCredential(stale))
        // Fresh cookies are what a refresh of a live session gets, even if they are no good.
        const renewed = isSuccess(refreshed) && refreshed.cookies.some(({ value }) => value !== '')
        const back = isSuccess(refreshed) && read.alive
        if (back) await endSession(target, stale)
        const got = back ? 'and the session is back' : renewed ? 'with fresh cookies' : 'no session'
        judge.that(
          rule,
          !back && !renewed && !isError(refreshed),
          `refresh returned ${refreshed.status}, ${got}`,
          [ended.evidence(), refreshed.evidence(), read.reply.evidence()],
        )
      } finally {
        await endSession(target, session)
      }
    })
  },
}))

/** Otherwise a later rejected refresh proves nothing. */
async function mustRefresh(target: Target, session: Session): Promise<void> {
  const reply = await refresh(target, session)
  mustHaveSentCsrf(session, reply)
  if (!isSuccess(reply) || !(await isAlive(target, getCredential(session))).alive)
    throw new CannotJudge(`a live session cannot be refreshed: ${reply.evidence()}`)
}

async function revokeNew(
  target: Target,
  { other, known }: { other: Session; known: readonly string[] },
): Promise<Reply> {
  const { ids } = await listSessions(target, other)
  const added = ids.filter((id) => !known.includes(id))
  const [id] = added
  if (id === undefined || added.length > 1)
    throw new CannotJudge(`cannot identify the session to revoke: ${added.length} are new`)
  return revokeSession(target, { id, by: requireFullCredential(other) })
}

function post(target: Target, path: string, session: Session): Promise<Reply> {
  return request(target, { method: 'POST', path, credential: requireFullCredential(session) })
}
