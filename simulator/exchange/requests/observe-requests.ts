import type { FastifyReply, FastifyRequest, onRequestHookHandler, onResponseHookHandler } from 'fastify'
import type { Activity, Loss } from '../../activity-journal.ts'
import type { Auth } from '../../auth/auth.ts'
import { digest, matchesDigest } from '../../auth/secret.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import { getClientName } from '../../observer/client.ts'
import { parseQuery, parseSegments } from '../../observer/observed.ts'
import type { Observing } from '../../observer/observing.ts'

type Options = {
  observing: Observing
  auth: Auth
  clock: Clock
  choices: Choices
  /** Writes a request without a response to the journal. */
  lose: (request: FastifyRequest) => void
}

/** Reports each request to the observer on arrival, and its response once sent, or that it never was; never delays either. */
export function createRequestObserver({ observing, auth, clock, choices, lose }: Options) {
  const { observer, otherSpelling } = observing
  const { wire, profile } = choices

  const request: onRequestHookHandler = (request, reply, done) => {
    const { method, credential, headers, is404, routeOptions } = request
    if (method === 'OPTIONS') return done()
    const known = typeof credential === 'string' ? null : credential
    const arrival = observer.arrived({
      method,
      route: is404 ? null : (routeOptions.url ?? null),
      url: request.url,
      arrivedMs: clock.nowMs(),
      remoteAddress: request.ip,
      userAgent: headers['user-agent'] ?? '',
      connection: request.raw.httpVersionMajor === 1 ? (request.raw.socket.remotePort ?? null) : null,
      wallet: known && wire.address.encode(known.address),
      credential: known?.kind ?? (credential === 'invalid' ? 'invalid' : 'none'),
      credentialId: known?.id ?? null,
      hasCsrfToken: headers['x-csrf-token'] !== undefined,
      isPublic: is404 || routeOptions.config.access === 'public',
    })
    request.observed = { arrival, entry: 0, page: 'none', isOver: false }
    // After the whole response, too; a response that was cut has no other event.
    reply.raw.once('close', () => close(request))
    done()
  }

  const close = (request: FastifyRequest) => {
    const { observed, url, headers } = request
    if (!observed || observed.isOver) return
    if (!request.isMalformed) lose(request)
    observed.isOver = true
    observer.lost(observed.arrival, {
      how: parseLoss(request),
      lostMs: clock.nowMs(),
      entry: observed.entry,
      secretInUrl: secretInUrl(url, { auth, csrfToken: headers['x-csrf-token'] }),
    })
  }

  const response: onResponseHookHandler = (request, reply, done) => {
    const { observed, failure, url, headers } = request
    // A client can do nothing with a malformed success: reported as lost when the response closes.
    if (!observed || request.isMalformed) return done()
    const { arrival, entry, page } = observed
    observed.isOver = true
    const code = failure?.code ?? null
    observer.responded(arrival, {
      respondedMs: clock.nowMs(),
      status: reply.statusCode,
      code,
      // A client may read a date by its own clock.
      retryAfterMs: parseWait(reply, clock.nowMs()),
      entry,
      servedRevision:
        arrival.route === '/protocol/state' && reply.statusCode === 200
          ? request.views.protocolState().revision
          : null,
      isEmptyPage: page === 'empty',
      isLastPage: page === 'last',
      refusedDigest: code === 'credentials_invalid' ? refusedDigest(request, profile.cookies.access) : null,
      refreshDigest:
        arrival.route === '/auth/refresh' ? digest(request.cookies[profile.cookies.refresh] ?? '') : null,
      deniedWallet:
        code === 'access_required' && arrival.route === '/auth/verify'
          ? (request.body as Signed).address
          : null, // as: it was validated
      secretInUrl: secretInUrl(url, { auth, csrfToken: headers['x-csrf-token'] }),
      respelledKey: code === 'pool_not_found' ? otherSpelling(parseSegments(pathBefore(url))[2] ?? '') : null,
      uncanonical: code === 'invalid_request' ? uncanonicalNumbers({ url, body: request.body }) : [],
      alteredMessage:
        code === 'signature_invalid' ? auth.challenges.alteration(request.body as Signed) : null, // as: it was validated
    })
    done()
  }
  return { request, response }
}

type RequestActivity = Extract<Activity, { kind: 'request' }>
type Signed = { address: string; signature: string }

/** For the journal: with the fields that the observer's evidence needs and the log omits. */
export function observedActivity(request: FastifyRequest, reply: FastifyReply): RequestActivity {
  const activity = requestActivity(request, reply)
  if (!request.observed) return activity
  const { client, credential } = request.observed.arrival
  const waitMs = parseWait(reply)
  // In place: a spread for each request costs more than most rules.
  activity.client = getClientName(client)
  if (credential !== 'none') activity.credential = credential
  if (waitMs !== null) activity.retryAfterMs = waitMs
  return activity
}

/** For journal and log: a request without a response. */
export function lostActivity(request: FastifyRequest): Activity {
  const { id, method, routeOptions } = request
  const route = routeOptions.url ?? null
  return { kind: 'request', ref: id, method, route, lost: parseLoss(request), ...describeClient(request) }
}

function describeClient({ observed }: FastifyRequest) {
  if (!observed) return {}
  const { credential, client } = observed.arrival
  return { client: getClientName(client), ...(credential !== 'none' && { credential }) }
}

function parseLoss({ ending, isMalformed }: FastifyRequest): Loss {
  if (isMalformed) return 'malformed'
  if (ending?.do === 'cut') return 'truncated'
  return ending === null || ending.do === 'trickle' ? 'disconnected' : ending.do
}

function parseWait(reply: FastifyReply, nowMs?: number): number | null {
  const retryAfter = reply.getHeader('retry-after')
  return retryAfter === undefined ? null : retryAfterMs({ retryAfter, date: reply.getHeader('date'), nowMs })
}

function refusedDigest({ headers, cookies }: FastifyRequest, cookie: string): string {
  return digest(headers.authorization ?? cookies[cookie] ?? '')
}

function pathBefore(url: string): string {
  return url.split('?')[0] ?? ''
}

/** Form of `createSecret`: exactly 43 characters; or a JWT of `createToken`. */
const SECRETS =
  /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|(?<![A-Za-z0-9_-])(?:ss_)?[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g
const SHORTEST = 43

/** Kind of a secret in a URL; null: none. Looks up only texts in the form of a secret. */
export function secretInUrl(
  url: string,
  { auth, csrfToken }: { auth: Pick<Auth, 'sessions'>; csrfToken: unknown },
): string | null {
  if (url.length <= SHORTEST) return null
  for (const [text] of decoded(url).matchAll(SECRETS)) {
    if (text.startsWith('ss_')) return 'an API token'
    if (typeof csrfToken === 'string' && matchesDigest(text, digest(csrfToken))) return 'the CSRF token'
    if (auth.sessions.byAccessToken(text)) return 'a session cookie'
    if (auth.sessions.hasFamily(text)) return 'a refresh cookie'
  }
  return null
}

/** Text before a secret may be percent-encoded and would look like part of it. */
function decoded(url: string): string {
  if (!url.includes('%')) return url
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/**
 * Wait of a `Retry-After` header, relative to the `Date` of the same response, which has whole seconds, or to `nowMs` if
 * that is shorter; null without a valid value.
 */
export function retryAfterMs(response: {
  retryAfter: unknown
  date: unknown
  nowMs?: number | undefined
}): number | null {
  const { retryAfter, date, nowMs = Number.NEGATIVE_INFINITY } = response
  if (retryAfter === undefined) return null
  const text = String(retryAfter)
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000
  const untilMs = Date.parse(text)
  const waitMs = Math.min(untilMs - Date.parse(String(date)), untilMs - nowMs)
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs)
}

const NUMBERS: ReadonlySet<string> = new Set(['limit', 'offset', 'amount_in', 'minimum_revision'])
const CANONICAL = /^(0|[1-9][0-9]*)$/
/** In any script: a text without a digit is not a misspelled number. */
const DIGIT = /\p{Nd}/u
const SHOWN_MAX = 60

/** Numbers of a rejected request in non-canonical form, as `name=text`. */
export function uncanonicalNumbers({ url, body }: { url: string; body: unknown }): string[] {
  const inQuery = parseQuery(url).filter(([name]) => NUMBERS.has(name))
  const amount = (body as { amount?: unknown } | null | undefined)?.amount
  const isNumber = typeof amount === 'number'
  const inBody: [string, string][] =
    typeof amount === 'string' || isNumber ? [['amount', String(amount)]] : []
  return [...inQuery, ...inBody]
    .filter(([name, text]) => (name === 'amount' && isNumber) || (DIGIT.test(text) && !CANONICAL.test(text)))
    .map(([name, text]) =>
      name === 'amount' && isNumber ? `${name} as a JSON number` : `${name}=${text.slice(0, SHOWN_MAX)}`,
    )
}

/**
 * Fields for log and journal: ref, method, route, status, error code. The route is the pattern, never the requested path or
 * query: a client that puts a secret there by mistake does not leak it to the log.
 */
export function requestActivity(request: FastifyRequest, { statusCode }: FastifyReply): RequestActivity {
  const { id, method, routeOptions, failure, ending, isMalformed } = request
  return {
    kind: 'request',
    ref: id,
    method,
    route: routeOptions.url ?? null,
    status: statusCode,
    ...(failure && { code: failure.code }),
    ...(failure?.source && { source: failure.source }),
    ...((isMalformed || (ending && ending.do !== 'trickle')) && { lost: parseLoss(request) }),
  }
}

export function requestLogLine(activity: Activity, clock: Clock): string {
  const { kind: _request, ...fields } = activity
  return JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), ...fields })
}
