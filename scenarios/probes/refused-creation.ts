import type { Target } from '../../contract/scenario-config.ts'
import {
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
  tryApiToken,
} from '../lib/identity/api-token.ts'
import {
  credentialRead,
  type getCredential,
  isAlive,
  requireFullCredential,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { pickRows } from '../lib/pick.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError, judgeRejected } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { MADE_UP } from './csrf.ts'

/**
 * A session with access creates API tokens: fails a 401, 403 or 5xx that persists while the session lists its tokens and reads.
 * Any other rejection may be about the name or the lifetime, whose bounds are open.
 */
export async function judgeRefusedCreation(
  target: Target,
  judge: Judge,
  { rule, session, reply: first }: { rule: string; session: Session; reply: Reply },
): Promise<void> {
  const credential = requireFullCredential(session)
  const describeError = ({ status }: Reply) =>
    status === 401 || status === 403 || status >= 500 ? String(status) : undefined
  if (describeError(first) === undefined) return
  if (isClientError(first) && !(await mayCreate(target, session))) return
  const { outcome, last, explanation } = await confirm({
    first,
    describeError,
    again: async () => {
      const reply = await tryApiToken(target, credential)
      const made = await createdToken(target, reply, credential)
      if (made) await revokeApiToken(target, { id: made.id, credential })
      return reply
    },
    witness: async () => {
      const read = await request(target, credentialRead(target, credential))
      const list = await listApiTokens(target, credential)
      const explanation = `GET /api-tokens -> ${list.status}, a read -> ${read.status}`
      return { served: list.status === 200 && read.status === 200, explanation }
    },
  })
  if (outcome === 'persistent')
    judge.fail(rule, `a session with access cannot create a token: ${explanation}`, [last.evidence()])
}

/** Neither a maximum of tokens nor a CSRF token that the profile misnames explains a rejection. */
async function mayCreate(target: Target, session: Session): Promise<boolean> {
  const { list } = target.profile.choices.apiTokens
  const listed = await listApiTokens(target, requireFullCredential(session))
  if (list === null || pickRows(listed.json, list)?.length !== 0) return false
  let isTokenRight = false
  await withSession(target, session.wallet, async (other) => {
    const credential = requireFullCredential(other)
    const logout = (csrf: string | undefined) =>
      request(target, { method: 'POST', path: '/auth/logout', credential: { ...credential, csrf } })
    // A logout that depends on the token, and works with it.
    const isChecked = isClientError(await logout(MADE_UP)) && (await isAlive(target, credential)).alive
    isTokenRight = isChecked && isSuccess(await logout(credential.csrf))
  })
  return isTokenRight
}

const RULE = 'api-token.create.needs-csrf'

type SessionCredential = ReturnType<typeof getCredential>

/** Tries twice. Before each try, a token was created with the header and revoked, so only the header is missing. */
export async function judgeCsrf(target: Target, judge: Judge, credential: SessionCredential): Promise<void> {
  const make = async (by: SessionCredential, headers: Record<string, string> = {}): Promise<Reply> => {
    const reply = await postApiToken(target, by, { headers })
    const made = await createdToken(target, reply, credential)
    if (made) await revokeApiToken(target, { id: made.id, credential })
    return reply
  }
  const without = { ...credential, csrf: undefined }
  const first = await make(without)
  const granted = await make(credential)
  const tries = [first, await make(without)]
  if (isSuccess(granted)) errorWatch.checkTwins({ method: 'POST', path: '/api-tokens' }, tries)
  // A server may skip the check for clients that are no browsers, while the cookie still counts.
  await unlessCannot(async () => {
    const reply = await make(without, { Authorization: 'Bearer x' })
    if (isSuccess(reply)) judge.fail(RULE, 'created next to an Authorization header', [reply.evidence()])
  })
  judgeRejected(judge, RULE, tries)
}
