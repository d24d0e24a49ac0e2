import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import type { Judge } from '../lib/judge.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Reply, request } from '../lib/request.ts'
import { credentialOf, fullCredentialOf, isAlive, type Session, withSession } from '../lib/session.ts'
import { told } from '../lib/told.ts'
import { walletFor } from '../lib/wallet.ts'

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
  const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
  const route = '/auth/sessions/{session_id}/revoke'
  const credential = fullCredentialOf(first)
  const before = await aliveness(target, { second, third })
  if (before.text !== 'second: alive, third: alive')
    throw new CannotJudge(`before the revocation: ${before.text}`)
  const revoked = await request(target, { method: 'POST', path, route, credential })
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

async function listSessions(target: Target, session: Session): Promise<{ ids: string[]; reply: Reply }> {
  const { sessions } = target.profile.choices
  const list = told(sessions.list, 'where the sessions are listed')
  const id = told(sessions.id, 'where a session has its id')
  const reply = await request(target, {
    method: 'GET',
    path: '/auth/sessions',
    credential: credentialOf(session),
  })
  const ids = pickRows(reply.json, list)?.map((row) => pickText(row, id))
  if (!ids || ids.includes(undefined))
    throw new CannotJudge(`no list of sessions with ids: ${reply.evidence()}`)
  return { ids: ids.filter((one) => one !== undefined), reply }
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
