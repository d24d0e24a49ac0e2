/** Sends the requests that must be rejected (`ask`, `forge`). */
import { at } from '../client/exchange.ts'
import { challengeRequest, verifyRequest } from '../client/session.ts'
import type { Choices } from '../contract/profile.ts'
import { type LiveSession, sessionHeaders, startSession } from './jar.ts'
import { isSuccess } from './model/credentials.ts'
import type { Outcome } from './model/state.ts'
import { type Endpoint, FORGERIES, type Stranger } from './model/strangers.ts'
import type { Scene } from './perform.ts'
import { ADMINISTRATOR, type CommandOf } from './sequence.ts'
import type { ExploreRequest, ExploreTarget, Reply } from './target.ts'

type Headers = Readonly<Record<string, string>>
/** Endpoints that a request may be for. */
type Subject = { choices: Choices; sessionId: string | null | undefined; tokenId: string | undefined }

export async function performAsk(command: CommandOf<'ask'>, scene: Scene): Promise<Outcome | null> {
  const { target, jar } = scene
  const { choices } = target.profile
  const token = command.by === undefined ? undefined : jar.tokens.get(command.by)
  const own = [...jar.sessions.values()].find(({ wallet, id }) => wallet === token?.wallet && id !== null)
  const request = REQUESTS[command.for]({ choices, sessionId: own?.id, tokenId: token?.id })
  const headers = buildHeaders(command, scene)
  if (request === null || headers === null) return null
  const reply = await target.request({ ...request, headers })
  const mayEnter = command.for === 'POST /auth/refresh'
  return { status: reply.status, ...(mayEnter && { isInside: await isInside(target, reply) }) }
}

const REQUESTS: Readonly<Record<Endpoint, (subject: Subject) => ExploreRequest | null>> = {
  'GET /swaps': () => get('/swaps?limit=1'),
  'GET /unclaimed': () => get('/unclaimed'),
  'GET /fee-tiers': () => get('/fee-tiers'),
  'GET /schema/trading': () => get('/schema/trading'),
  'GET /access/status': () => get('/access/status'),
  'GET /referral/status': () => get('/referral/status'),
  'GET positions': ({ choices }) => get(choices.positionsPath),
  'GET balances': ({ choices }) => get(choices.balancesPath),
  'GET /auth/ws-ticket': () => get('/auth/ws-ticket'),
  'GET /auth/sessions': () => get('/auth/sessions'),
  'POST /auth/sessions/{session_id}/revoke': ({ sessionId }) =>
    sessionId == null ? null : post(`/auth/sessions/${encodeURIComponent(sessionId)}/revoke`),
  'POST /auth/logout': () => post('/auth/logout'),
  'POST /auth/logout-all': () => post('/auth/logout-all'),
  'GET /api-tokens': () => get('/api-tokens'),
  'POST /api-tokens': () => post('/api-tokens', { name: 'explore', expires_in_days: 1 }),
  'DELETE /api-tokens/{id}': ({ tokenId }) =>
    tokenId === undefined ? null : { method: 'DELETE', path: `/api-tokens/${encodeURIComponent(tokenId)}` },
  'POST /auth/refresh': () => post('/auth/refresh'),
  'GET /referral/codes': () => get('/referral/codes'),
  'POST redeem': ({ choices: { referral } }) => postCode(referral.redeemPath, referral.code),
  'POST attribution': ({ choices: { referral } }) => postCode(referral.attributionPath, referral.code),
}

function get(path: string | null): ExploreRequest | null {
  return path === null ? null : { method: 'GET', path }
}

function post(path: string, body?: object): ExploreRequest {
  return { method: 'POST', path, ...(body && { body }) }
}

function postCode(path: string | null, field: string | null): ExploreRequest | null {
  return path === null || field === null ? null : post(path, { [field]: MADE_UP })
}

const MADE_UP = 'this-was-never-issued-by-anyone'
/** The specified beginning of an API token. */
const MARK = 'ss_'

/** Null if there is nothing to alter or to send. */
function buildHeaders(
  { with: stranger, by, for: endpoint }: CommandOf<'ask'>,
  { target, jar }: Scene,
): Headers | null {
  const { choices } = target.profile
  const session = by === undefined ? undefined : jar.sessions.get(by)
  const token = by === undefined ? undefined : jar.tokens.get(by)
  const isRefresh = endpoint === 'POST /auth/refresh'
  const name = isRefresh ? choices.cookies.refresh : choices.cookies.access
  const cookie = (value: string) => (name === null ? null : { cookie: `${name}=${value}` })
  const access = session?.generations[session.latest]?.access
  switch (stranger) {
    case 'nothing':
      return {}
    case 'made-up-token':
      return { authorization: `Bearer ${MARK}${MADE_UP}` }
    case 'made-up-session':
      return cookie(MADE_UP)
    case 'access-alone':
      return access ? { cookie: `${choices.cookies.access}=${access}` } : null
    case 'token':
      return token ? { authorization: `Bearer ${token.secret}` } : null
    case 'no-csrf':
      return session ? sessionHeaders(session, choices, { csrf: 'missing' }) : null
    case 'session':
      return session && session.wallet !== ADMINISTRATOR ? sessionHeaders(session, choices) : null
    default: {
      if (token && !isRefresh)
        return { authorization: `Bearer ${MARK}${alter(token.secret.slice(MARK.length), stranger)}` }
      const value = isRefresh ? session?.generations[session.latest]?.refresh : access
      return value ? cookie(alter(value, stranger)) : null
    }
  }
}

const PLACES: Partial<Record<Stranger, (length: number) => number>> = {
  'altered-start': () => 0,
  'altered-middle': (length) => Math.floor(length / 2),
  // The last character of base64 may have bits that decoding drops.
  'altered-end': (length) => length - 2,
}

/** Replaces a letter or digit by another, which means something else in hex and base64, too. */
export function alter(secret: string, stranger: Stranger): string {
  let place = Math.max(0, PLACES[stranger]?.(secret.length) ?? 0)
  while (place > 0 && !/[a-z0-9]/i.test(secret.charAt(place))) place--
  const other = /\d/.test(secret.charAt(place)) ? (secret.charAt(place) === '4' ? '7' : '4') : 'ad'
  const letter = secret.charAt(place).toLowerCase() === 'a' ? 'd' : 'a'
  return secret.slice(0, place) + (other.length === 1 ? other : letter) + secret.slice(place + 1)
}

/** Checks if the cookies of a response are those of a session that works. */
async function isInside(target: ExploreTarget, reply: Reply): Promise<boolean> {
  const { choices } = target.profile
  const access = choices.cookies.access === null ? undefined : reply.cookies[choices.cookies.access]
  if (!access) return false
  const headers = { cookie: `${choices.cookies.access}=${access}` }
  return isSuccess(await target.request({ method: 'GET', path: '/swaps?limit=1', headers }))
}

export async function performForge(
  { wallet: place, how }: CommandOf<'forge'>,
  { target, wallets }: Scene,
): Promise<Outcome | null> {
  const { outsiders = [] } = target
  const wallet = how === 'no-access' ? outsiders[place % outsiders.length] : wallets[place]
  const signer = how === 'other-key' ? wallets.find(({ address }) => address !== wallet?.address) : wallet
  if (!wallet || !signer) return null
  const challenge = await target.request(challengeRequest(wallet.address))
  const message = at(challenge.body, 'data.message')
  if (!isSuccess(challenge) || typeof message !== 'string') return null
  const changed = FORGERIES[how].change(message)
  if (changed === message && signer === wallet && how !== 'no-access') return null
  const signature = await target.sign(signer, changed)
  const reply = await target.request(verifyRequest({ address: wallet.address, signature }))
  return how === 'no-access'
    ? readAsOutsider(target, reply)
    : { status: reply.status, isInside: await isInside(target, reply) }
}

/** Must be rejected with a 403. */
const CLOSED: readonly Endpoint[] = ['GET /swaps', 'GET /unclaimed', 'GET /fee-tiers', 'GET /schema/trading']
/** Must be rejected; another status may concern the request. */
const ALSO_CLOSED: readonly Endpoint[] = ['GET positions', 'GET balances', 'POST /api-tokens']

/** A wallet without access may be rejected at verify, or by each endpoint. */
async function readAsOutsider(target: ExploreTarget, reply: Reply): Promise<Outcome> {
  const { profile } = target
  const session: LiveSession | null = isSuccess(reply) ? startSession(reply, { profile, wallet: -1 }) : null
  // Without cookies, a success is not a sign-in; the check of each response reports it.
  if (!session) return { status: isSuccess(reply) ? 0 : reply.status }
  const headers = sessionHeaders(session, profile.choices)
  let wrong: Outcome | undefined
  for (const endpoint of [...CLOSED, ...ALSO_CLOSED]) {
    const request = REQUESTS[endpoint]({ choices: profile.choices, sessionId: null, tokenId: undefined })
    const read = request && (await target.request({ ...request, headers }))
    if (read && (isSuccess(read) || (read.status === 401 && CLOSED.includes(endpoint))))
      wrong ??= { status: read.status, isInside: true }
  }
  await target.request({ method: 'POST', path: '/auth/logout', headers })
  return wrong ?? { status: 403 }
}
