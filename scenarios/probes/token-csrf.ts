import type { Target } from '../../contract/scenario-config.ts'
import { createdToken, postApiToken, revokeApiToken } from '../lib/identity/api-token.ts'
import type { getCredential } from '../lib/identity/session.ts'
import { errorWatch } from '../lib/probe/watch-errors.ts'
import { judgeRejected } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { type Judge, unlessCannot } from '../lib/verdict/judge.ts'

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
