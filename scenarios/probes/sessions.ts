import type { Target } from '../../contract/scenario-config.ts'
import { type MadeToken, withBearer } from '../lib/identity/api-token.ts'
import {
  credentialOf,
  fullCredentialOf,
  isAlive,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { listSessions, revokeSession } from '../lib/identity/session-list.ts'
import { differentWallets, walletFor } from '../lib/identity/wallet.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeRefused } from '../lib/probe/refusal.ts'
import { type Credential, request } from '../lib/requests/request.ts'

/** The sessions of one wallet: listed, and revoked one by one. */
export const sessions: Probe = {
  rules: ['auth.sessions.list', 'auth.sessions.revoke'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    await withSession(target, wallet, async (first) => {
      const before = await listSessions(target, first)
      await withSession(target, wallet, async (second) => {
        const after = await listSessions(target, first)
        const added = after.ids.filter((id) => !before.ids.includes(id))
        const seen = `${before.ids.length} sessions, ${after.ids.length} after another sign-in`
        judge.that('auth.sessions.list', added.length > 0, seen, [after.reply.evidence()])
        const [id] = added
        if (id === undefined || added.length > 1)
          throw new CannotJudge(`which session to revoke is not told: ${seen}`)
        await withSession(target, wallet, (third) => judgeRevoke(target, judge, { id, first, second, third }))
      })
    })
  },
}

/** What another wallet does is none of this list. Once more before it accuses: others may sign in with the wallet too. */
export const ownSessions: Probe = {
  rules: ['auth.sessions.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'auth.sessions.own-only'
    const [wallet, other] = differentWallets(target, 'sessions', 'refreshEnds')
    await withSession(target, wallet, async (session) => {
      const grown: string[] = []
      for (let round = 0; round < 2 && grown.length === round; round++) {
        const before = await listSessions(target, session)
        if (before.ids.length === 0) throw new CannotJudge(`an empty list: ${before.reply.evidence()}`)
        await withSession(target, other, async () => {
          const { ids, reply } = await listSessions(target, session)
          const added = ids.filter((id) => !before.ids.includes(id))
          if (added.length > 0) grown.push(reply.evidence())
        })
      }
      if (grown.length === 1) judge.inconclusive(rule, 'a session was added, and none the next time', grown)
      else
        judge.that(
          rule,
          grown.length === 0,
          `sessions of another wallet are ${grown.length === 0 ? 'not ' : ''}listed`,
          grown,
        )
    })
  },
}

/** May end every session of its wallet where it should not: hence a wallet of its own, and that last. */
export const sessionsByToken: Probe = {
  rules: ['auth.sessions.session-only'],
  world: 'main',
  endsSessions: true,
  run(target, judge) {
    const tryAll = async (credential: Credential, mine?: MadeToken) => {
      const { alive, reply } = await isAlive(target, credential)
      if (!alive) throw new CannotJudge(`the API token is refused everywhere: ${reply.evidence()}`)
      const send = (method: 'GET' | 'POST', path: string) => request(target, { method, path, credential })
      const tries = [await send('GET', '/auth/sessions'), await send('POST', '/auth/logout')]
      if (mine !== undefined) {
        for (const id of await idsToRevoke(target, mine.session))
          tries.push(await revokeSession(target, { id, by: credential }))
        tries.push(await send('POST', '/auth/logout-all'))
      }
      judgeRefused(judge, 'auth.sessions.session-only', tries)
    }
    return withBearer(target, { use: 'logoutAll', prefer: 'made' }, tryAll)
  },
}

/** One of the list; none where the profile does not tell how it is read. */
async function idsToRevoke(target: Target, session: Session): Promise<string[]> {
  const { list, id } = target.profile.choices.sessions
  return list === null || id === null ? [] : (await listSessions(target, session)).ids.slice(0, 1)
}

/** Two sessions of one wallet, of which one is logged out. */
export const logout: Probe = {
  rules: ['auth.logout.current-only'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    await withSession(target, wallet, (first) =>
      withSession(target, wallet, (second) => judgeLogout(target, judge, { first, second })),
    )
  },
}

async function judgeRevoke(
  target: Target,
  judge: Judge,
  { id, first, second, third }: { id: string; first: Session; second: Session; third: Session },
): Promise<void> {
  const by = fullCredentialOf(first)
  const before = await aliveness(target, { second, third })
  if (before.text !== 'second: alive, third: alive')
    throw new CannotJudge(`before the revocation: ${before.text}`)
  const revoked = await revokeSession(target, { id, by })
  const states = await aliveness(target, { revoked: second, other: third })
  const holds = states.text === 'revoked: ended, other: alive'
  const evidence = [revoked.evidence(), ...states.evidence]
  judge.that('auth.sessions.revoke', holds, `${revoked.status}; ${states.text}`, evidence)
}

async function judgeLogout(
  target: Target,
  judge: Judge,
  { first, second }: { first: Session; second: Session },
): Promise<void> {
  const before = await aliveness(target, { first, second })
  if (before.text !== 'first: alive, second: alive')
    throw new CannotJudge(`before the logout: ${before.text}`)
  const out = await request(target, {
    method: 'POST',
    path: '/auth/logout',
    credential: fullCredentialOf(second),
  })
  const states = await aliveness(target, { 'logged out': second, other: first })
  const holds = states.text === 'logged out: ended, other: alive'
  judge.that('auth.logout.current-only', holds, `${out.status}; ${states.text}`, [
    out.evidence(),
    ...states.evidence,
  ])
}

/** Ends every session of its wallet: hence a wallet of its own. */
export const logoutAll: Probe = {
  rules: ['auth.logout-all.every-session'],
  world: 'main',
  endsSessions: true,
  async run(target, judge) {
    const wallet = walletFor(target, 'logoutAll')
    await withSession(target, wallet, (first) =>
      withSession(target, wallet, async (second) => {
        const before = await aliveness(target, { first, second })
        if (before.text !== 'first: alive, second: alive')
          throw new CannotJudge(`before the logout: ${before.text}`)
        const credential = fullCredentialOf(first)
        const out = await request(target, { method: 'POST', path: '/auth/logout-all', credential })
        const after = await aliveness(target, { first, second })
        const holds = after.text === 'first: ended, second: ended'
        const evidence = [out.evidence(), ...after.evidence]
        judge.that('auth.logout-all.every-session', holds, `${out.status}; ${after.text}`, evidence)
      }),
    )
  },
}

async function aliveness(
  target: Target,
  named: Record<string, Session>,
): Promise<{ text: string; evidence: string[] }> {
  const parts: string[] = []
  const evidence: string[] = []
  for (const [name, session] of Object.entries(named)) {
    const { alive, reply } = await isAlive(target, credentialOf(session))
    parts.push(`${name}: ${alive ? 'alive' : 'ended'}`)
    evidence.push(reply.evidence())
  }
  return { text: parts.join(', '), evidence }
}
