import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { type Credential, type Reply, request } from '../requests/request.ts'
import { CannotJudge, requireChoice } from '../verdict/judge.ts'
import { getCredential, type Session } from './session.ts'

/** Returns the ids of the wallet's sessions. Throws CannotJudge if the list cannot be read. */
export async function listSessions(
  target: Target,
  session: Session,
): Promise<{ ids: string[]; reply: Reply }> {
  const { sessions } = target.profile.choices
  const list = requireChoice(sessions.list, 'the path of the session list')
  const id = requireChoice(sessions.id, 'the path of the id of a session')
  const reply = await request(target, {
    method: 'GET',
    path: '/auth/sessions',
    credential: getCredential(session),
  })
  const ids = pickRows(reply.json, list)?.map((row) => pickText(row, id))
  if (!ids || ids.includes(undefined))
    throw new CannotJudge(`not a list of sessions with ids: ${reply.evidence()}`)
  return { ids: ids.filter((one) => one !== undefined), reply }
}

/** Revokes a session by id with another session's credential, or with one or none that must not be allowed. */
export function revokeSession(
  target: Target,
  { id, by }: { id: string; by: Credential | undefined },
): Promise<Reply> {
  const path = `/auth/sessions/${encodeURIComponent(id)}/revoke`
  const route = '/auth/sessions/{session_id}/revoke'
  return request(target, { method: 'POST', path, route, credential: by })
}
