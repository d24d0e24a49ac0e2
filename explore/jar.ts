/**
 * Everything that the commands of a sequence have created at the target: sessions with their cookies, API tokens, tickets and sockets;
 * and requests with these credentials.
 */
import { at } from '../client/exchange.ts'
import type { Profile } from '../contract/profile.ts'
import type { LiveSocket } from './live-socket.ts'
import { isSuccess } from './model/credentials.ts'
import type { Outcome } from './model/state.ts'
import type { ExploreRequest, ExploreTarget, Reply } from './target.ts'

type Cookies = { access: string | null; refresh: string }

export type LiveSession = {
  wallet: number
  csrf: string | null
  /** Null: the list of sessions did not show it. */
  id: string | null
  /** The cookies of each response that set them, in order of arrival. */
  generations: Cookies[]
  /** Place of the cookies that are sent. */
  latest: number
  /** Further cookies, such as a load balancer's. */
  others: Map<string, string>
}

export type Jar = {
  sessions: Map<string, LiveSession>
  tokens: Map<string, { wallet: number; id: string; secret: string; isRevoked: boolean }>
  tickets: Map<string, string>
  sockets: Map<string, LiveSocket>
}

export function createJar(): Jar {
  return { sessions: new Map(), tokens: new Map(), tickets: new Map(), sockets: new Map() }
}

/** Takes the cookies of a response to verify. Returns null without a refresh cookie, or if its CSRF token was lost with the body. */
export function startSession(
  reply: Reply,
  { profile: { choices }, wallet }: { profile: Profile; wallet: number },
): LiveSession | null {
  const csrf = at(reply.body, choices.verify.csrfToken)
  const session: LiveSession = {
    wallet,
    csrf: typeof csrf === 'string' ? csrf : null,
    id: null,
    generations: [],
    latest: -1,
    others: new Map(),
  }
  const isWhole = session.csrf !== null || choices.verify.csrfToken === null
  return takeCookies(session, reply, choices) !== undefined && isWhole ? session : null
}

/** Returns the generation of the response's refresh cookie; undefined if it sets none. */
export function takeCookies(
  session: LiveSession,
  { cookies }: Reply,
  choices: Profile['choices'],
): number | undefined {
  const { access: accessName, refresh: refreshName } = choices.cookies
  for (const [name, value] of Object.entries(cookies))
    if (name !== accessName && name !== refreshName) session.others.set(name, value)
  const refresh = refreshName === null ? undefined : cookies[refreshName]
  if (!refresh) return undefined
  const access = (accessName === null ? undefined : cookies[accessName]) || null
  const known = session.generations.findIndex((each) => each.refresh === refresh)
  if (known >= 0) {
    session.latest = known
    return known
  }
  session.generations.push({ access, refresh })
  session.latest = session.generations.length - 1
  return session.latest
}

/** Headers of a request with the cookies of a generation. */
export function sessionHeaders(
  session: LiveSession,
  choices: Profile['choices'],
  {
    generation = session.latest,
    csrf = 'right',
  }: { generation?: number; csrf?: 'right' | 'wrong' | 'missing' } = {},
): Record<string, string> {
  const { access, refresh } = session.generations[generation] ?? { access: null, refresh: '' }
  const named: [string | null, string | null][] = [
    [choices.cookies.access, access],
    [choices.cookies.refresh, refresh],
    ...session.others,
  ]
  const cookie = named.flatMap(([name, value]) => (name && value ? [`${name}=${value}`] : [])).join('; ')
  const token = csrf === 'right' ? session.csrf : csrf === 'wrong' ? 'made-up' : null
  return { cookie, ...(token !== null && { 'x-csrf-token': token }) }
}

export type Requester = { target: ExploreTarget; jar: Jar }

/** Null: nothing created what the command uses. */
export type Performed = Promise<Outcome | null>

/** A request with the credential of a session or an API token; without `by`, with none. Repeated if it only reads. */
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
