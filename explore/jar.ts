/** Everything that the commands of a sequence have created at the target: sessions with their cookies, API tokens, tickets and sockets. */
import { at } from '../client/exchange.ts'
import type { Profile } from '../contract/profile.ts'
import type { LiveSocket } from './live-socket.ts'
import type { Reply } from './target.ts'

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
