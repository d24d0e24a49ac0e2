import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Reply, request } from '../lib/request.ts'
import { credentialOf, endSession, isAlive, type Session, signIn } from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

/** The sessions of one wallet: listed, revoked one by one, logged out one by one. */
export const sessions: Probe = {
  rules: ['auth.sessions.list', 'auth.sessions.revoke', 'auth.logout.current-only'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'sessions')
    const first = await signIn(target, wallet)
    const before = await listSessions(target, first)
    const second = await signIn(target, wallet)
    const after = await listSessions(target, first)
    const added = after.ids.filter((id) => !before.ids.includes(id))
    judge.that(
      'auth.sessions.list',
      added.length === 1,
      `${before.ids.length} sessions, ${after.ids.length} after another sign-in`,
      [after.reply.evidence()],
    )

    const third = await signIn(target, wallet)
    const [id] = added
    if (id !== undefined) {
      const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
      const route = '/auth/sessions/{session_id}/revoke'
      const revoked = await request(target, { method: 'POST', path, route, credential: credentialOf(first) })
      const states = await aliveness(target, { revoked: second, other: third })
      judge.that(
        'auth.sessions.revoke',
        states.text === 'revoked: ended, other: alive',
        `${revoked.status}; ${states.text}`,
        [revoked.evidence(), ...states.evidence],
      )
    }

    const out = await request(target, {
      method: 'POST',
      path: '/auth/logout',
      credential: credentialOf(third),
    })
    const states = await aliveness(target, { 'logged out': third, other: first })
    judge.that(
      'auth.logout.current-only',
      states.text === 'logged out: ended, other: alive',
      `${out.status}; ${states.text}`,
      [out.evidence(), ...states.evidence],
    )
    await endSession(target, first)
  },
}

/** Ends every session of its wallet: hence a wallet of its own. */
export const logoutAll: Probe = {
  rules: ['auth.logout-all.every-session'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'logoutAll')
    const [first, second] = [await signIn(target, wallet), await signIn(target, wallet)]
    const out = await request(target, {
      method: 'POST',
      path: '/auth/logout-all',
      credential: credentialOf(first),
    })
    const states = await aliveness(target, { first, second })
    judge.that(
      'auth.logout-all.every-session',
      states.text === 'first: ended, second: ended',
      `${out.status}; ${states.text}`,
      [out.evidence(), ...states.evidence],
    )
  },
}

async function listSessions(target: Target, session: Session): Promise<{ ids: string[]; reply: Reply }> {
  const { list, id } = target.profile.choices.sessions
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
