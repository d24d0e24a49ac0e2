import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  endSession,
  getCredential,
  isAlive,
  logoutSpec,
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
import { confirm } from '../lib/requests/confirm.ts'
import { isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { tryRevival } from './session-checks.ts'

type Ending = {
  rule: string
  lists?: true
  endsSessions?: true
  /** It also ends the session that requests it, if that is another one. */
  endsCaller?: true
  /** Also ends sessions while they are refreshed. */
  races?: true
  /** Ends `session`; `known` are the ids listed before it signed in. */
  end(target: Target, two: { session: Session; other: Session; known: readonly string[] }): Promise<Reply>
}

const ENDINGS: readonly Ending[] = [
  {
    rule: 'auth.logout.ends-refresh',
    races: true,
    end: (target, { session }) => post(target, '/auth/logout', session),
  },
  { rule: 'auth.sessions.revoke-ends-refresh', lists: true, end: revokeNew },
  {
    rule: 'auth.logout-all.ends-refresh',
    endsSessions: true,
    endsCaller: true,
    end: (target, { other }) => post(target, '/auth/logout-all', other),
  },
]

/** An ended session stays ended: ends one each way, then refreshes with its old cookies. */
export const sessionEnds: readonly Probe[] = ENDINGS.map(
  ({ rule, lists, end, endsCaller, races, ...more }) => ({
    ...more,
    rules: [rule],
    world: 'main',
    async run(target, judge) {
      const wallet = walletFor(target, 'refreshEnds')
      await withSession(target, wallet, async (other) => {
        const known = lists ? (await listSessions(target, other)).ids : []
        const session = await signIn(target, wallet)
        try {
          const replaced = copySession(session)
          await mustRefresh(target, session)
          const stale = [session, ...(endsCaller ? [other] : [])].map(copySession)
          const ended = await end(target, { session, other, known })
          if (!isSuccess(ended)) throw new CannotJudge(`the session was not ended: ${ended.evidence()}`)
          const { held, release } = holdPasses(judge)
          for (const one of stale) await judgeStale(target, held, { rule, ended, stale: one })
          await judgeReplaced(target, judge, { rule, ended, replaced })
          if (races) await unlessCannot(() => judgeDuringRefresh(target, judge, { rule, witness: other }))
          release()
        } finally {
          await endSession(target, session)
        }
      })
    },
  }),
)

type Stale = { rule: string; ended: Reply; stale: Session }

async function judgeStale(target: Target, judge: Judge, { rule, ended, stale }: Stale): Promise<void> {
  const { refreshed, read, back } = await tryRevival(target, stale)
  // Fresh cookies are what a refresh of a live session gets, even if they are no good.
  const renewed = isSuccess(refreshed) && refreshed.cookies.some(({ value }) => value !== '')
  const got = back ? 'and the session is back' : renewed ? 'with fresh cookies' : 'no session'
  judge.that(
    rule,
    !back && !renewed && !isError(refreshed),
    `refresh returned ${refreshed.status}, ${got}`,
    [ended, refreshed, read].map((reply) => reply.evidence()),
  )
}

/** A replaced refresh token may be accepted for a short time, but not after the end of its session. Passes nothing. */
async function judgeReplaced(
  target: Target,
  judge: Judge,
  { rule, ended, replaced }: { rule: string; ended: Reply; replaced: Session },
): Promise<void> {
  const { refreshed, read, back } = await tryRevival(target, replaced)
  const seen = `refresh with the cookies that the last one replaced returned ${refreshed.status}, and the session is back`
  if (back)
    judge.fail(
      rule,
      seen,
      [ended, refreshed, read].map((reply) => reply.evidence()),
    )
}

const RACES = 3

/**
 * Logs sessions out while they are refreshed: after a logout that succeeds, neither the old nor the new cookies may work, in whichever
 * order the server handled the two. Passes nothing.
 */
async function judgeDuringRefresh(
  target: Target,
  judge: Judge,
  { rule, witness }: { rule: string; witness: Session },
): Promise<void> {
  for (let number = 0; number < RACES; number++) {
    const old = await signIn(target, witness.wallet)
    const renewed = copySession(old)
    const [refreshed, out] = await Promise.all([
      refresh(target, renewed),
      request(target, logoutSpec(copySession(old))),
    ])
    try {
      if (!isSuccess(out)) continue
      for (const session of isSuccess(refreshed) ? [renewed, old] : [old]) {
        const { alive } = await isAlive(target, getCredential(session))
        const isBack = alive || (await tryRevival(target, session, { keep: true })).back
        if (!isBack || !(await staysAlive(target, session, witness))) continue
        const seen = `a session lives on that was refreshed during its logout: the refresh returned ${refreshed.status}, the logout ${out.status}`
        judge.fail(rule, seen, [refreshed.evidence(), out.evidence()])
        await endSession(target, session)
      }
    } finally {
      await endSession(target, renewed)
    }
  }
}

/** True if the session keeps reading, while the witness does too. */
async function staysAlive(target: Target, session: Session, witness: Session): Promise<boolean> {
  const read = async () => (await isAlive(target, getCredential(session))).alive
  const { outcome } = await confirm<boolean>({
    first: await read(),
    describeError: (alive) => (alive ? 'alive' : undefined),
    again: read,
    witness: async () => ({ served: (await isAlive(target, getCredential(witness))).alive, explanation: '' }),
  })
  return outcome === 'persistent'
}

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
