/** Requests of commands: with the credential of a label, and repeated if they only read. */
import type { Jar } from './jar.ts'
import { sessionHeaders } from './jar.ts'
import { isSuccess } from './model/credentials.ts'
import type { Outcome } from './model/state.ts'
import type { ExploreRequest, ExploreTarget, Reply } from './target.ts'

export type Requester = { target: ExploreTarget; jar: Jar }

/** Null: nothing created what the command uses. */
export type Performed = Promise<Outcome | null>

/** A request with the credential of a session or an API token; without `by`, with none. */
export async function performWith(
  by: string | undefined,
  { target, jar }: Requester,
  request: ExploreRequest,
  take?: (reply: Reply) => void,
): Performed {
  const session = by === undefined ? undefined : jar.sessions.get(by)
  const token = by === undefined ? undefined : jar.tokens.get(by)
  if (by !== undefined && !session && !token) return null
  const used = session?.latest
  const headers = session
    ? sessionHeaders(session, target.profile.choices)
    : token && { authorization: `Bearer ${token.secret}` }
  const sent = { ...request, ...(headers && { headers }) }
  const { reply, isPersistent } =
    request.method === 'GET'
      ? await readAgain(target, sent)
      : { reply: await target.request(sent), isPersistent: false }
  if (isSuccess(reply)) take?.(reply)
  return {
    status: reply.status,
    body: reply.body,
    ...(reply.retryAfterMs !== undefined && { retryAfterMs: reply.retryAfterMs }),
    ...(used !== undefined && { used }),
    ...(isPersistent && { isPersistent }),
  }
}

/** At least four more tries within at least five seconds. */
const READ_PAUSES_MS = [100, 400, 1500, 3500]
const RETRY_AFTER_MS_MAX = 10_000

/** A read may be repeated: an error that stays, while the target serves other requests, is not transient. */
async function readAgain(
  target: ExploreTarget,
  request: ExploreRequest,
): Promise<{ reply: Reply; isPersistent: boolean }> {
  let reply = await target.request(request)
  for (const ms of READ_PAUSES_MS) {
    if (reply.status !== 0 && reply.status < 500) return { reply, isPersistent: false }
    await target.pass(Math.max(ms, Math.min(reply.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)))
    reply = await target.request(request)
  }
  if (reply.status < 500) return { reply, isPersistent: false }
  return { reply, isPersistent: await isServing(target) }
}

export async function isServing(target: ExploreTarget): Promise<boolean> {
  return isSuccess(await target.request({ method: 'GET', path: '/tokens' }))
}

/** A change with the cookies of a session. */
export async function performChange(
  { session: label, csrf = 'right' }: { session: string; csrf?: 'right' | 'wrong' | 'missing' },
  { target, jar }: Requester,
  request: ExploreRequest,
  take?: (reply: Reply) => void,
): Performed {
  const session = jar.sessions.get(label)
  if (!session) return null
  const used = session.latest
  const headers = sessionHeaders(session, target.profile.choices, { csrf })
  const reply = await target.request({ ...request, headers })
  if (isSuccess(reply)) take?.(reply)
  return { status: reply.status, used }
}
