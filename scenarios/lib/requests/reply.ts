import type { Choices } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { handsOut, learnSecrets, redactor } from '../redact.ts'
import type { RequestSpec } from './request.ts'

export type Cookie = {
  name: string
  value: string
  httpOnly: boolean
  /** Missing if the cookie has no `Path`. */
  path?: string
  /** `Max-Age` in seconds, 0 if the cookie is to be deleted. Missing if the cookie has none. */
  maxAge?: number
  /** `Expires`. Missing if the cookie has none. */
  expiresMs?: number
}

/** True if a browser deletes the cookie. `Max-Age` has precedence (RFC 6265, section 5.3). */
export function isDeleted({ value, maxAge, expiresMs }: Cookie): boolean {
  if (maxAge !== undefined) return maxAge === 0
  return value === '' || (expiresMs !== undefined && expiresMs < Date.now())
}

/** Has getters, which a spread copy loses: see withEvidence. */
export type Reply = {
  readonly status: number
  /** Header names in lower case. */
  readonly headers: Record<string, string>
  readonly json: unknown
  /** The raw body; empty if the response was incomplete or unread. */
  readonly text: string
  readonly contentType: string
  /** Target of a redirect. */
  readonly location: string | undefined
  readonly cookies: Cookie[]
  /** Request and response in one line, for evidence. Redacted when read. */
  evidence(): string
}

/** The used part of a k6 response. */
export type K6Response = {
  status: number
  error: string
  body: unknown
  /** Names in Go's canonical form: `Content-Type`. */
  headers: Record<string, string>
  cookies: Record<string, object[]>
}

/**
 * At run time, whatever the type declarations say. `max_age`: 0 without the attribute, negative to delete the cookie. `expires`: in
 * milliseconds, before 1970 without the attribute.
 */
type K6Cookie = {
  name: string
  value: string
  http_only?: boolean
  path?: string
  max_age?: number
  expires?: number
}

/** Only choices, because they are loaded lazily from the run's configuration. */
type WithChoices = { readonly choices: Choices }

/**
 * Creates a reply that parses lazily: parsing a list page costs a VU five times as much as requesting it.
 * Replies that issue credentials are parsed at once, so the redactor knows the secrets before anything is
 * shown.
 */
export function createReply(
  requested: string,
  path: string,
  response: K6Response,
  profile: WithChoices,
): Reply {
  const reply = new LazyReply(requested, response)
  if (handsOut(path) || reply.setsCookies()) {
    const { json, cookies } = reply
    learnSecrets(redactor, { path, json, cookies }, profile.choices)
  }
  return reply
}

/** Copies a reply with different evidence. */
export function withEvidence(reply: Reply, evidence: () => string): Reply {
  const { status, headers, json, text, contentType, location, cookies } = reply
  return { status, headers, json, text, contentType, location, cookies, evidence }
}

const EVIDENCE_LENGTH = 300

/** A class, because five closures per request would cost a VU more than everything else here. */
class LazyReply implements Reply {
  // `declare`: otherwise k6 would initialize each field twice.
  declare readonly status: number
  declare private readonly requestLine: string
  declare private readonly response: K6Response
  /** Headers cached from k6: each access through the response creates an object. */
  declare private readonly rawHeaders: Record<string, string>
  declare private parsed: { value: unknown } | undefined
  declare private lowerHeaders: Record<string, string> | undefined

  constructor(requested: string, response: K6Response) {
    this.status = response.status
    this.requestLine = requested
    this.response = response
    this.rawHeaders = response.headers
  }

  setsCookies(): boolean {
    return this.rawHeaders['Set-Cookie'] !== undefined
  }

  get text(): string {
    // For a truncated or oversized response, k6 provides the beginning.
    const { status, body } = this.response
    return status !== 0 && typeof body === 'string' ? body : ''
  }

  get json(): unknown {
    this.parsed ??= { value: parseJson(this.text) }
    return this.parsed.value
  }

  get headers(): Record<string, string> {
    if (this.lowerHeaders !== undefined) return this.lowerHeaders
    const lower: Record<string, string> = {}
    for (const name in this.rawHeaders) lower[name.toLowerCase()] = this.rawHeaders[name] ?? ''
    this.lowerHeaders = lower
    return lower
  }

  get contentType(): string {
    return this.rawHeaders['Content-Type'] ?? ''
  }

  get location(): string | undefined {
    const location = this.rawHeaders.Location
    return location === undefined ? undefined : redactor.redact(location)
  }

  get cookies(): Cookie[] {
    return Object.values(this.response.cookies)
      .flat()
      .map((cookie) => {
        const { name, value, http_only, path, max_age, expires = -1 } = cookie as K6Cookie // as: its fields at run time
        return {
          name,
          value,
          httpOnly: http_only === true,
          ...(path ? { path } : {}),
          ...(max_age ? { maxAge: Math.max(0, max_age) } : {}),
          ...(expires >= 0 ? { expiresMs: expires } : {}),
        }
      })
  }

  evidence(): string {
    const said = this.status === 0 ? `no response (${this.response.error})` : String(this.status)
    const shown = redactor.redactBody(this.text, EVIDENCE_LENGTH, this.json)
    return `${redactor.redact(this.requestLine)} -> ${said} ${shown}`
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Observes every reply of this VU, and reads whose body never parsed. Unset in load tests, for speed. */
export const replyObserver: {
  check?: (target: Target, spec: RequestSpec, reply: Reply) => void
  neverParsed?: (spec: RequestSpec, reply: Reply) => void
} = {}

/** The parts of a reply that reveal another server. Plain data, for tests. */
export type ServerResponse = {
  status: number
  contentType: string
  text: string
  /** Undefined if the text is not JSON. */
  json: unknown
  location: string | undefined
}

/** Returns why a response cannot come from the exchange, or undefined if it may. */
export function explainNotTheExchange(response: ServerResponse): string | undefined {
  const { status, location } = response
  if (status >= 300 && status < 400) return `a redirect to ${location ?? 'nowhere'}, not followed`
  // A rejection may come from a proxy as an HTML page; a success must be JSON.
  if (status >= 200 && status < 300 && isHtml(response)) return 'an HTML page instead of JSON'
  return undefined
}

/** Statuses with which an exchange may reject such a read, rightly or not; probes judge that. */
const REFUSALS = [400, 401, 403, 422, 429]

/**
 * Like explainNotTheExchange, for a read that every exchange has: a 404 or an HTML page means that there is no
 * exchange.
 */
export function explainMissingRead(response: ServerResponse): string | undefined {
  const { status, json } = response
  if (status >= 400 && !REFUSALS.includes(status)) return `not found: ${status}`
  if (isHtml(response)) return `an HTML page: ${status}`
  const isRecord = typeof json === 'object' && json !== null
  if (status >= 200 && status < 300 && !isRecord) return `not a JSON object: ${status}`
  return explainNotTheExchange(response)
}

const HEAD_LENGTH = 1000

function isHtml(response: ServerResponse): boolean {
  const { contentType } = response
  // Hot path of a load: checks the header before the body.
  if (contentType.startsWith('application/json')) return false
  return (
    /^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)\b/i.test(response.text.slice(0, HEAD_LENGTH))
  )
}

/** Formats statuses in ascending order, because a race has no fixed order: `200, 49 x 409`. */
export function tallyStatuses(replies: readonly { status: number }[]): string {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => (count === 1 ? `${status}` : `${count} x ${status}`))
    .join(', ')
}
