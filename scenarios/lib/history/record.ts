import exec from 'k6/execution'
import { call, done, follow } from 'k6/x/breakwater/history'
import type { HistoryKind } from '../../../contract/history.ts'
import type { Choices } from '../../../contract/profile.ts'
import { findEventPath, ROOM_EVENTS } from '../../../contract/room-events.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { FrameRecorder } from '../client/follow-feed.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec } from '../requests/request.ts'

type Recorded = {
  kind: HistoryKind
  key: string
  argument?: number
  value?: (reply: Reply) => number
}

/** Records one operation in the operation log: what was called, and how it returned. An error leaves it open. */
export async function record(operation: Recorded, send: () => Promise<Reply>): Promise<Reply> {
  const { kind, key, argument = -1, value } = operation
  const id = call(kind, key, argument)
  const reply = await send()
  done(id, reply.status, value === undefined ? -1 : value(reply))
  return reply
}

let keys = 0

/** A key for a new session, API token, ticket or socket, unique among all VUs of a load. */
export function createKey(family: 'session' | 'token' | 'ticket' | 'socket'): string {
  return `${family} ${exec.vu.idInTest}.${++keys}`
}

/** A session in the log. Its refresh tokens are numbered in the order in which this VU received them. */
type KnownSession = { key: string; tokens: string[] }

/** `begin`: records a session right after its sign-in. `send`: records a request. */
type SessionRecorder = {
  begin: (credential: Credential | undefined) => void
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
}

/**
 * Records the requests of the sessions of one wallet. Recognizes a session by its refresh cookie; if the profile does
 * not name the cookie, nothing is recorded.
 */
export function recordSessions(
  target: Target,
  { wallet, send }: { wallet: number; send: SessionRecorder['send'] },
): SessionRecorder {
  const name = target.profile.choices.cookies.refresh
  if (name === null) return { begin: () => {}, send }
  const sessions = new Map<string, KnownSession>()
  const numbers = new WeakMap<Credential, { session: KnownSession; token: number }>()
  const recognize = (credential: Credential | undefined) => {
    if (credential === undefined || !('cookie' in credential)) return undefined
    const known = numbers.get(credential)
    if (known !== undefined) return known
    const token = readCookie(credential.cookie, name)
    if (token === undefined) return undefined
    const session = sessions.get(token) ?? startSession(token, wallet)
    sessions.set(token, session)
    const found = { session, token: session.tokens.indexOf(token) }
    numbers.set(credential, found)
    return found
  }
  const sendRecorded: SessionRecorder['send'] = async (to, spec) => {
    const found = recognize(spec.credential)
    const kind = found === undefined ? undefined : chooseKind(spec)
    if (found === undefined || kind === undefined) return await send(to, spec)
    const { session, token } = found
    const value = (reply: Reply) => {
      const issued =
        kind === 'R' && isSuccess(reply) ? reply.cookies.find((cookie) => cookie.name === name) : undefined
      if (issued === undefined) return -1
      if (!session.tokens.includes(issued.value)) session.tokens.push(issued.value)
      sessions.set(issued.value, session)
      return session.tokens.indexOf(issued.value)
    }
    const argument = kind === 'L' ? -1 : token
    return await record({ kind, key: session.key, argument, value }, () => send(to, spec))
  }
  return { begin: (credential) => void recognize(credential), send: sendRecorded }
}

function chooseKind({ method, path }: RequestSpec): HistoryKind | undefined {
  if (path === '/auth/refresh') return 'R'
  if (path === '/auth/logout') return 'L'
  return method === 'GET' ? 'U' : undefined
}

/** The sign-in has returned before: as an operation of no duration, it is the first one of the history. */
function startSession(token: string, wallet: number): KnownSession {
  const key = createKey('session')
  done(call('S', key, wallet), 200, -1)
  return { key, tokens: [token] }
}

function readCookie(cookies: string, name: string): string | undefined {
  return cookies
    .split('; ')
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** Records the frames of a socket. `address`: that of its ticket. Returns undefined without an operation log. */
export function recordFrames(
  { profile }: Pick<Target, 'profile'>,
  address: string | undefined,
): FrameRecorder | undefined {
  return follow(createKey('socket'), listKinds(profile.choices.events), address ?? '') ?? undefined
}

/** The kinds of rooms, in order of ROOM_EVENTS. Only events with an identity can be recognized when they come again. */
function listKinds({ id, pool, address }: Choices['events']): (readonly [string, string, string, string])[] {
  const identities: Readonly<Record<string, string | null>> = {
    Trade: findEventPath(id, 'Trade'),
    ProtocolConfigChanged: 'data.revision',
  }
  return Object.entries(ROOM_EVENTS).map(([room, type]) => {
    const subject = room === 'balances:' ? address : room.endsWith(':') ? findEventPath(pool, type) : null
    return [room, type, subject ?? '', identities[type] ?? '']
  })
}
