import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  type ApiToken,
  createdToken,
  type MadeToken,
  postApiToken,
  revokeApiToken,
  withBearer,
} from '../lib/identity/api-token.ts'
import {
  credentialRead,
  endSession,
  getCredential,
  isAlive,
  listSessions,
  refreshTwice,
  requireFullCredential,
  revokeSession,
  type Session,
  startSession,
  verifyPatiently,
  withSession,
} from '../lib/identity/session.ts'
import { isStillServed, readsServedTo } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirmMissing } from '../lib/requests/confirm.ts'
import { judgeRejected } from '../lib/requests/refusal.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

/** The sessions of one wallet: each lists all of them, and they are revoked one by one. */
export const sessions: Probe = {
  rules: ['auth.sessions.list', 'auth.sessions.revoke'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    await withSession(target, wallet, async (first) => {
      const before = await listSessions(target, first)
      await withSession(target, wallet, async (second) => {
        const added = await newIds(target, first, before.ids)
        await withSession(target, wallet, async (third) => {
          const later = await newIds(target, first, [...before.ids, ...added.ids])
          const news = [added.ids, later.ids]
          // If several are new at once, one may belong to someone else, who is free to end it.
          const mine = [before.ids, ...news].filter(({ length }) => length === 1).flat()
          await judgeList(target, judge, { mine, news, signedIn: [first, second, third] })
          const [id] = added.ids
          if (id === undefined || added.ids.length > 1)
            throw new CannotJudge(`cannot identify the session to revoke: ${added.ids.length} are new`)
          await judgeRevoke(target, judge, { id, first, second, third })
        })
      })
    })
  },
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
  const rule = 'auth.sessions.list'
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
      // Twice, with a list served to a session in between.
      for (let round = 0; round < 2; round++) {
        tries.push(await send('GET', '/auth/sessions'), await send('POST', '/auth/logout'))
        if (mine === undefined) continue
        for (const id of await idsToRevoke(target, mine.session))
          tries.push(await revokeSession(target, { id, by: credential }))
        tries.push(await send('POST', '/auth/logout-all'))
        // A rejected request must do nothing.
        const left = await isStillServed(target, getCredential(mine.session), { witness: credential })
        if (left.outcome === 'refused')
          judge.fail(BY_SESSION, `then the session has ended: ${left.explanation}`, [left.reply.evidence()])
        if (tries.some(isSuccess)) break
      }
      judgeRejected(judge, BY_SESSION, tries)
    }
    return withBearer(target, { use: 'logoutAll', prefer: 'made' }, tryAll)
  },
}

async function idsToRevoke(target: Target, session: Session): Promise<string[]> {
  const { list, id } = target.profile.choices.sessions
  return list === null || id === null ? [] : (await listSessions(target, session)).ids.slice(0, 1)
}

export const logout: Probe = {
  rules: ['auth.logout.current-only'],
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

async function judgeRevoke(
  target: Target,
  judge: Judge,
  { id, first, second, third }: { id: string; first: Session; second: Session; third: Session },
): Promise<void> {
  const by = requireFullCredential(first)
  await refreshTwice(target, second)
  const before = await aliveness(target, { second, third })
  if (before.text !== 'second: alive, third: alive')
    throw new CannotJudge(`before the revocation: ${before.text}`)
  // Cached responses must not survive the revocation.
  await readsServedTo(target, getCredential(second))
  const token = await makeToken(target, second)
  const revoked = await revokeSession(target, { id, by })
  await judgeToken(target, judge, { rule: 'auth.sessions.revoke', token, owner: first })
  const states = await aliveness(target, { revoked: second, other: third })
  const evidence = [revoked.evidence(), ...states.evidence]
  const served = await readsServedTo(target, getCredential(second))
  const isEnded = states.text === 'revoked: ended, other: alive' && served.length === 0
  const seen = `${revoked.status}; ${states.text}; the revoked one then gets ${served.length} reads`
  judge.that('auth.sessions.revoke', isEnded, seen, [...evidence, ...served.map((reply) => reply.evidence())])
}

async function judgeLogout(
  target: Target,
  judge: Judge,
  { first, second }: { first: Session; second: Session },
): Promise<void> {
  const before = await aliveness(target, { first, second })
  if (before.text !== 'first: alive, second: alive')
    throw new CannotJudge(`before the logout: ${before.text}`)
  await readsServedTo(target, getCredential(second))
  const credential = requireFullCredential(second)
  const token = await makeToken(target, second)
  const out = await request(target, { method: 'POST', path: '/auth/logout', credential })
  await judgeToken(target, judge, { rule: 'auth.logout.current-only', token, owner: first })
  const states = await aliveness(target, { 'logged out': second, other: first })
  const served = await readsServedTo(target, getCredential(second))
  const holds = states.text === 'logged out: ended, other: alive' && served.length === 0
  const seen = `${out.status}; ${states.text}; the logged-out one then gets ${served.length} reads`
  judge.that('auth.logout.current-only', holds, seen, [
    out.evidence(),
    ...states.evidence,
    ...served.map((reply) => reply.evidence()),
  ])
}

const EVERY = 'auth.logout-all.every-session'

/** Ends every session of its wallet, so it has its own. */
export const logoutAll: Probe = {
  rules: [EVERY],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const wallet = walletFor(target, 'logoutAll')
    await withSession(target, wallet, (first) =>
      withSession(target, wallet, async (second) => {
        await refreshTwice(target, second)
        const before = await aliveness(target, { first, second })
        if (before.text !== 'first: alive, second: alive')
          throw new CannotJudge(`before the logout: ${before.text}`)
        await readsServedTo(target, getCredential(second))
        const credential = requireFullCredential(first)
        const token = await makeToken(target, second)
        const out = await request(target, { method: 'POST', path: '/auth/logout-all', credential })
        const after = await aliveness(target, { first, second })
        const served = await readsServedTo(target, getCredential(second))
        const holds = after.text === 'first: ended, second: ended' && served.length === 0
        const evidence = [out.evidence(), ...after.evidence, ...served.map((reply) => reply.evidence())]
        const seen = `${out.status}; ${after.text}; the second then gets ${served.length} reads`
        if (holds) await judgeAfterAll(target, judge, { wallet, token })
        judge.that(EVERY, holds, seen, evidence)
      }),
    )
  },
}

/** Only sessions end: a wallet that had access still has it, and its API token works. */
async function judgeAfterAll(
  target: Target,
  judge: Judge,
  { wallet, token }: { wallet: Wallet; token: ApiToken | undefined },
): Promise<void> {
  const verified = await verifyPatiently(target, wallet)
  const session = isSuccess(verified) ? startSession(target, { wallet, verified }) : undefined
  const reply = session ? await request(target, credentialRead(target, getCredential(session))) : verified
  if (session) {
    await judgeToken(target, judge, { rule: EVERY, token, owner: session })
    await endSession(target, session)
  }
  if (reply.status !== 403) return
  judge.fail(EVERY, 'then the wallet has no access any more', [reply.evidence()])
}

/** An API token that works, if the session can make one. */
async function makeToken(target: Target, by: Session): Promise<ApiToken | undefined> {
  let made: ApiToken | undefined
  await unlessCannot(async () => {
    const credential = requireFullCredential(by)
    const token = await createdToken(target, await postApiToken(target, credential), credential)
    if (token && (await isAlive(target, token.bearer)).alive) made = token
    else if (token) await revokeApiToken(target, { id: token.id, credential })
  })
  return made
}

/** Only its own revocation ends an API token. Revokes it by a live session of its owner. */
async function judgeToken(
  target: Target,
  judge: Judge,
  { rule, token, owner }: { rule: string; token: ApiToken | undefined; owner: Session },
): Promise<void> {
  if (token === undefined) return
  const credential = getCredential(owner)
  await unlessCannot(async () => {
    const { outcome, reply, explanation } = await isStillServed(target, token.bearer, { witness: credential })
    if (outcome === 'refused')
      judge.fail(rule, `an API token of the wallet ends too: ${explanation}`, [reply.evidence()])
    await revokeApiToken(target, { id: token.id, credential })
  })
}

async function aliveness(
  target: Target,
  named: Record<string, Session>,
): Promise<{ text: string; evidence: string[] }> {
  const parts: string[] = []
  const evidence: string[] = []
  for (const [name, session] of Object.entries(named)) {
    const { alive, reply } = await isAlive(target, getCredential(session))
    parts.push(`${name}: ${alive ? 'alive' : 'ended'}`)
    evidence.push(reply.evidence())
  }
  return { text: parts.join(', '), evidence }
}
