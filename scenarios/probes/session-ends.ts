import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  dropCookie,
  endSession,
  getCredential,
  isAlive,
  listSessions,
  refresh,
  requireFullCredential,
  revokeSession,
  type Session,
  signIn,
  withSession,
} from '../lib/identity/session.ts'
import { findWrongRefusal, isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'
import { elapseLong, mustBeAbleToWait } from '../lib/world/control.ts'

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
        judge.that(rule, !back && !renewed, `refresh returned ${refreshed.status}, ${got}`, [
          ended.evidence(),
          refreshed.evidence(),
          read.reply.evidence(),
        ])
      } finally {
        await endSession(target, session)
      }
    })
  },
}))

/** Otherwise a later rejected refresh proves nothing. */
async function mustRefresh(target: Target, session: Session): Promise<void> {
  const reply = await refresh(target, session)
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

const MINUTE_MS = 60_000

/** An access session from one minute before its expiry to one after, and its renewal. */
export const sessionLife: Probe = {
  rules: ['auth.session.lives-15-min', 'auth.session.expires-15-min', 'auth.refresh.revives'],
  world: 'clock',
  async run(target, judge) {
    mustBeAbleToWait(target, LIMITS.accessSessionSeconds * 1000 + MINUTE_MS)
    const wallet = walletFor(target, 'clock')
    await withOthers(target, wallet, async (session, others) => {
      const lifeMs = LIMITS.accessSessionSeconds * 1000
      await elapseLong(target, lifeMs - MINUTE_MS)
      // A fresh session for comparison. It stays signed in: a logout may end more than its own session.
      await withSession(target, wallet, async (fresh) => {
        await judgeYoung(target, judge, { session, fresh })
        await elapseLong(target, 2 * MINUTE_MS)
        await judgeOld(target, judge, { session, fresh })
        await judgeRevival(target, judge, { session, ...others })
      })
    })
  },
}

async function judgeOld(
  target: Target,
  judge: Judge,
  { session, fresh }: { session: Session; fresh: Session },
): Promise<void> {
  const rule = 'auth.session.expires-15-min'
  const wrong = await findWrongRefusal(target, getCredential(session), { witness: getCredential(fresh) })
  if (wrong) return judge.fail(rule, `after 16 minutes: ${wrong.explanation}`, [wrong.reply.evidence()])
  const old = await isAlive(target, getCredential(session))
  const seen = old.alive ? 'alive after 16 minutes' : 'ended after 16 minutes'
  judge.that(rule, !old.alive, seen, [old.reply.evidence()])
}

async function judgeYoung(
  target: Target,
  judge: Judge,
  { session, fresh }: { session: Session; fresh: Session },
): Promise<void> {
  const rule = 'auth.session.lives-15-min'
  const young = await isStillServed(target, getCredential(session), { witness: getCredential(fresh) })
  const evidence = [young.reply.evidence()]
  if (young.outcome === 'served') return judge.pass(rule, 'alive after 14 minutes', evidence)
  if (young.outcome === 'unclear')
    judge.inconclusive(rule, `not served at first: ${young.explanation}`, evidence)
  else judge.fail(rule, `ended after 14 minutes: ${young.explanation}`, evidence)
  throw new CannotJudge('the session ended before its time')
}

/** Sessions that expire with the first: one refreshed before, and one whose access cookie the browser drops. */
type Others = { refreshedBefore: Session | undefined; refreshCookieOnly: Session }

async function withOthers(
  target: Target,
  wallet: Wallet,
  use: (session: Session, others: Others) => Promise<void>,
): Promise<void> {
  await withSession(target, wallet, (refreshedBefore) =>
    withSession(target, wallet, async (refreshCookieOnly) => {
      const isRefreshed = isSuccess(await refresh(target, refreshedBefore))
      const others = { refreshedBefore: isRefreshed ? refreshedBefore : undefined, refreshCookieOnly }
      await withSession(target, wallet, (session) => use(session, others))
    }),
  )
}

/** After its access expires, each session is refreshed and continues. */
async function judgeRevival(
  target: Target,
  judge: Judge,
  { session, refreshedBefore, refreshCookieOnly }: Others & { session: Session },
): Promise<void> {
  const { access } = target.profile.choices.cookies
  // Browsers drop expired cookies.
  if (access !== null) dropCookie(refreshCookieOnly, access)
  const seen: string[] = []
  for (const [how, one] of [
    ['with its cookies', session],
    ['refreshed before', refreshedBefore],
    ['with its refresh cookie', refreshCookieOnly],
  ] as const) {
    if (one === undefined) continue
    const refreshed = await refresh(target, one)
    const revived = await isAlive(target, getCredential(one))
    const explanation = `${how}: refresh returned ${refreshed.status}, the session is ${revived.alive ? 'alive' : 'ended'}`
    if (!isSuccess(refreshed) || !revived.alive)
      judge.fail('auth.refresh.revives', explanation, [refreshed.evidence(), revived.reply.evidence()])
    seen.push(explanation)
  }
  judge.pass('auth.refresh.revives', seen.join('; '))
}
