import type { Target } from '../../contract/scenario-config.ts'
import {
  endSession,
  getCredential,
  isAlive,
  refreshTwice,
  requireFullCredential,
  type Session,
  startSession,
  verifyPatiently,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { sharesWallets } from '../lib/identity/shared-wallets.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm, confirmMissing } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, holdPasses, ifPossible, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { judgeEndedCookies, judgeKept, keepSocket } from './after-session-ends.ts'
import { readAll } from './reads-served.ts'
import {
  aliveness,
  judgeNotEnded,
  judgeRefusal,
  judgeServed,
  judgeToken,
  makeToken,
  requestsServedTo,
  tryRevival,
} from './session-checks.ts'

const LIST = 'auth.sessions.list'
const REVOKE = 'auth.sessions.revoke'

/** The sessions of one wallet: each lists all of them, and they are revoked one by one. */
export const sessions: Probe = {
  rules: [LIST, REVOKE],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    await withSession(target, wallet, async (first) => {
      await judgeServed(target, judge, { rule: LIST, path: '/auth/sessions', session: first })
      const before = await listSessions(target, first)
      let isSignedIn = false
      const use = async (second: Session): Promise<void> => {
        isSignedIn = true
        await judgeNotEnded(target, judge, { rule: LIST, after: 'a sign-in', earlier: first, other: second })
        const added = await newIds(target, first, before.ids)
        await withSession(target, wallet, async (third) => {
          const later = await newIds(target, first, [...before.ids, ...added.ids])
          const news = [added.ids, later.ids]
          // If several are new at once, one may belong to someone else, who is free to end it.
          const mine = [before.ids, ...news].filter(({ length }) => length === 1).flat()
          const { held, release } = holdPasses(judge)
          try {
            await judgeList(target, held, { mine, news, signedIn: [first, second, third] })
            const [id] = added.ids
            if (id === undefined || added.ids.length > 1)
              throw new CannotJudge(`cannot identify the session to revoke: ${added.ids.length} are new`)
            await refreshTwice(target, second)
            const after = 'a refresh of a session'
            await judgeNotEnded(target, judge, { rule: LIST, after, earlier: third, other: second })
            const others = [...before.ids, ...later.ids]
            await judgeRevoke(target, judge, { id, others, idsOfThird: later.ids, first, second, third })
          } finally {
            release()
          }
        })
      }
      try {
        await withSession(target, wallet, use)
      } catch (error) {
        if (!isSignedIn) await judgeSecondSignIn(target, judge, { first, ids: before.ids })
        throw error
      }
    })
  },
}

/**
 * Fails the rule if the wallet cannot sign in while it has one session, which is served all along, but can after its logout. Passes
 * nothing.
 */
export async function judgeSecondSignIn(
  target: Target,
  judge: Judge,
  { first, ids }: { first: Session; ids: readonly string[] },
): Promise<void> {
  // A server may limit the number of sessions, and other probes or clients may have some.
  if (ids.length !== 1 || sharesWallets(target)) return
  const { wallet } = first
  const signInAgain = async (): Promise<Reply> => {
    const verified = await verifyPatiently(target, wallet)
    if (isSuccess(verified)) await endSession(target, startSession(target, { wallet, verified }))
    return verified
  }
  const { outcome, last, explanation } = await confirm<Reply>({
    first: await signInAgain(),
    describeError: ({ status }) => (isSuccess({ status }) ? undefined : String(status)),
    again: signInAgain,
    witness: async () => {
      const { alive } = await isAlive(target, getCredential(first))
      return { served: alive, explanation: `its session is ${alive ? 'alive' : 'ended'}` }
    },
  })
  if (outcome !== 'persistent') return
  await endSession(target, first)
  const after = await signInAgain()
  const seen = `a wallet with a session cannot sign in again until its logout: ${explanation}`
  if (isSuccess(after)) judge.fail(LIST, seen, [last.evidence(), after.evidence()])
}

/** Newly listed sessions. Reads again if the list has no new one. */
async function newIds(target: Target, by: Session, known: readonly string[]): Promise<{ ids: string[] }> {
  let ids: string[] = []
  await confirmMissing({
    check: async () => {
      ids = (await listSessions(target, by)).ids.filter((id) => !known.includes(id))
      return ids.length > 0 ? 'found' : 'missing'
    },
    isListed: async () => true,
  })
  return { ids }
}

/**
 * `news`: the ids that each sign-in added; `mine`: those known to be ours. Each session must list them all, including the
 * oldest and newest; a missing one counts if it stays missing while all sessions can read.
 */
async function judgeList(
  target: Target,
  judge: Judge,
  {
    mine,
    news,
    signedIn,
  }: { mine: readonly string[]; news: readonly (readonly string[])[]; signedIn: readonly Session[] },
): Promise<void> {
  const rule = LIST
  const shown = news.filter(({ length }) => length > 0).length
  if (shown < news.length)
    return judge.fail(rule, `${shown} sessions are new in the list after ${news.length} sign-ins`)
  for (const [index, session] of signedIn.entries()) {
    let evidence: string[] = []
    const { state, explanation } = await confirmMissing({
      check: async () => {
        const { ids, reply } = await listSessions(target, session)
        evidence = [reply.evidence()]
        return mine.every((id) => ids.includes(id)) ? 'found' : 'missing'
      },
      isListed: async () => {
        const states = await Promise.all(signedIn.map((one) => isAlive(target, getCredential(one))))
        return states.every(({ alive }) => alive)
      },
    })
    const seen = `session ${index + 1} of ${signedIn.length} does not list all of them`
    if (state === 'missing') return judge.fail(rule, `${seen}: ${explanation}`, evidence)
    if (state !== 'found') return judge.inconclusive(rule, `${seen} at first: ${explanation}`, evidence)
  }
  judge.pass(rule, `${signedIn.length} sessions, each lists all of them`)
}

const CURRENT_ONLY = 'auth.logout.current-only'

export const logout: Probe = {
  rules: [CURRENT_ONLY],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    await withSession(target, wallet, (first) =>
      withSession(target, wallet, async (second) => {
        await refreshTwice(target, second)
        await judgeLogout(target, judge, { first, second })
      }),
    )
  },
}

type Revocation = {
  id: string
  /** Ids of all sessions except `second`. */
  others: readonly string[]
  idsOfThird: readonly string[]
  first: Session
  second: Session
  third: Session
}

async function judgeRevoke(
  target: Target,
  judge: Judge,
  { id, others, idsOfThird, first, second, third }: Revocation,
): Promise<void> {
  const before = await aliveness(target, { second, third })
  if (before.text !== 'second: alive, third: alive')
    throw new CannotJudge(`before the revocation: ${before.text}`)
  // Cached responses must not survive the revocation.
  await readAll(target, getCredential(second))
  const token = await makeToken(target, second)
  const revoked = await revokeCurrent(target, { id, others, by: first })
  const after = 'the revocation of a session'
  await judgeNotEnded(target, judge, { rule: REVOKE, after, earlier: first, other: third })
  const ended = isSuccess(revoked) ? second : undefined
  await judgeToken(target, judge, { rule: REVOKE, token, owner: first, ended })
  await judgeRefusal(target, judge, { rule: REVOKE, ended: second, witness: third })
  const states = await aliveness(target, { revoked: second, other: third })
  const evidence = [revoked.evidence(), ...states.evidence]
  const served = await requestsServedTo(target, { ended: second, live: first })
  const isEnded = states.text === 'revoked: ended, other: alive' && served.length === 0
  const seen = `${revoked.status}; ${states.text}; the revoked one is then served ${served.length} requests`
  if (isEnded) await judgeEndedCookies(target, second)
  if (isEnded) await judgeOwnRevocation(target, judge, { ids: idsOfThird, session: third })
  judge.that(REVOKE, isEnded, seen, [...evidence, ...served.map((reply) => reply.evidence())])
}

/**
 * Revokes a session that was refreshed: that may have changed its id, so it is listed again. Repeats both after a rejection, because
 * a replica may still list the earlier id.
 */
export async function revokeCurrent(
  target: Target,
  { id, others, by }: { id: string; others: readonly string[]; by: Session },
): Promise<Reply> {
  const revoke = async (): Promise<Reply> => {
    const added = (await listSessions(target, by)).ids.filter((one) => !others.includes(one))
    const current = added.includes(id) || added.length !== 1 ? id : added[0]
    return revokeSession(target, { id: current ?? id, by: requireFullCredential(by) })
  }
  const { last } = await confirm<Reply>({
    first: await revoke(),
    describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
    again: revoke,
    witness: async () => ({ served: (await isAlive(target, getCredential(by))).alive, explanation: '' }),
  })
  return last
}

/** A session may revoke itself. A rejection is open: a server may want a logout instead. Passes nothing. */
export async function judgeOwnRevocation(
  target: Target,
  judge: Judge,
  { ids: [id, ...others], session }: { ids: readonly string[]; session: Session },
): Promise<void> {
  if (id === undefined || others.length > 0) return
  await unlessCannot(async () => {
    const revoked = await revokeSession(target, { id, by: requireFullCredential(session) })
    if (!isSuccess(revoked)) return
    const { alive, reply } = await isAlive(target, getCredential(session))
    const evidence = [revoked.evidence(), reply.evidence()]
    if (alive)
      return judge.fail(REVOKE, `${revoked.status}; a session that revokes itself stays alive`, evidence)
    const { refreshed, back } = await tryRevival(target, session)
    const seen = `a session that revoked itself is back after a refresh: ${refreshed.status}`
    if (back) judge.fail(REVOKE, seen, [...evidence, refreshed.evidence()])
  })
}

async function judgeLogout(
  target: Target,
  judge: Judge,
  { first, second }: { first: Session; second: Session },
): Promise<void> {
  const before = await aliveness(target, { first, second })
  if (before.text !== 'first: alive, second: alive')
    throw new CannotJudge(`before the logout: ${before.text}`)
  await readAll(target, getCredential(second))
  const credential = requireFullCredential(second)
  const token = await makeToken(target, second)
  const kept = await ifPossible(() => keepSocket(target, first))
  const out = await request(target, { method: 'POST', path: '/auth/logout', credential })
  if (kept && isSuccess(out)) await judgeKept(target, judge, { rule: CURRENT_ONLY, session: first, kept })
  const ended = isSuccess(out) ? second : undefined
  await judgeToken(target, judge, { rule: CURRENT_ONLY, token, owner: first, ended })
  const states = await aliveness(target, { 'logged out': second, other: first })
  const served = await requestsServedTo(target, { ended: second, live: first })
  const holds = states.text === 'logged out: ended, other: alive' && served.length === 0
  const seen = `${out.status}; ${states.text}; the logged-out one is then served ${served.length} requests`
  judge.that(CURRENT_ONLY, holds, seen, [
    out.evidence(),
    ...states.evidence,
    ...served.map((reply) => reply.evidence()),
  ])
}
