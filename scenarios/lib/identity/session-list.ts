import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { told } from '../verdict/told.ts'
import { credentialOf, type Session } from './session.ts'

/** The ids of the sessions that the wallet of a session has. Throws CannotJudge where the list cannot be read. */
export async function listSessions(
  target: Target,
  session: Session,
): Promise<{ ids: string[]; reply: Reply }> {
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

/** Ends a session by its id, with the credential of another session, or of whoever must not. */
export function revokeSession(target: Target, { id, by }: { id: string; by: Credential }): Promise<Reply> {
  return request(target, {
    method: 'POST',
    path: `/auth/sessions/${encodeURIComponent(id)}/revoke`,
    route: '/auth/sessions/{session_id}/revoke',
    credential: by,
  })
}
