import type { Choices } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { handsOut, learnSecrets, redactor } from '../redact.ts'
import type { RequestSpec } from './request.ts'

export type Cookie = { name: string; value: string; httpOnly: boolean }

/** Its fields are read through it, so a copy by spread has few of them: see withEvidence. */
export type Reply = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  readonly json: unknown
  /** The body as it came; empty if no whole response came, or the request was to leave it unread. */
  readonly text: string
  readonly contentType: string
  /** Where a redirect leads. */
  readonly location: string | undefined
  readonly cookies: Cookie[]
  /** What was asked and answered, in one line, for evidence. Redacted when read. */
  evidence(): string
}

/** What is needed of an answer of k6. */
export type Answer = {
  status: number
  error: string
  body: unknown
  /** Names as Go writes them: `Content-Type`. */
  headers: Record<string, string>
  cookies: Record<string, object[]>
}

/** Choices of a profile are read from the run's configuration when somebody asks for them. */
type Told = { readonly choices: Choices }

/**
 * An answer, read only as far as somebody asks: parsing a page of a list costs a VU five times as much as asking for it. What
 * hands out credentials is read at once, before anything of it can be shown.
 */
export function createReply(asked: string, path: string, answer: Answer, profile: Told): Reply {
  const reply = new LazyReply(asked, answer)
  if (handsOut(path) || reply.setsCookies()) {
    const { json, cookies } = reply
    learnSecrets(redactor, { path, json, cookies }, profile.choices)
  }
  return reply
}

/** The same answer, with other words for evidence. */
export function withEvidence(reply: Reply, evidence: () => string): Reply {
  const { status, headers, json, text, contentType, location, cookies } = reply
  return { status, headers, json, text, contentType, location, cookies, evidence }
}

const EVIDENCE_LENGTH = 300

/** One object a request: getters of its own would be five more, and they cost a VU more than all else here. */
class LazyReply implements Reply {
  // Declared only: k6 would set each of them twice.
  declare readonly status: number
  declare private readonly asked: string
  declare private readonly answer: Answer
  /** Headers as k6 has them: each way to them by the answer makes an object. */
  declare private readonly told: Record<string, string>
  declare private read: { value: unknown } | undefined

  constructor(asked: string, answer: Answer) {
    this.status = answer.status
    this.asked = asked
    this.answer = answer
    this.told = answer.headers
  }

  setsCookies(): boolean {
    return this.told['Set-Cookie'] !== undefined
  }

  get text(): string {
    // Of a response that broke off, or is beyond the bounds, k6 has the beginning.
    const { status, body } = this.answer
    return status !== 0 && typeof body === 'string' ? body : ''
  }

  get json(): unknown {
    this.read ??= { value: parseJson(this.text) }
    return this.read.value
  }

  get headers(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.told).map(([name, value]) => [name.toLowerCase(), value]))
  }

  get contentType(): string {
    return this.told['Content-Type'] ?? ''
  }

  get location(): string | undefined {
    const location = this.told.Location
    return location === undefined ? undefined : redactor.redact(location)
  }

  get cookies(): Cookie[] {
    return Object.values(this.answer.cookies)
      .flat()
      .map((cookie) => {
        // At run time the field is `http_only`, whatever the type declarations call it.
        const { name, value, http_only } = cookie as { name: string; value: string; http_only?: boolean }
        return { name, value, httpOnly: http_only === true }
      })
  }

  evidence(): string {
    const said = this.status === 0 ? `no answer (${this.answer.error})` : String(this.status)
    const shown = redactor.redactBody(this.text, EVIDENCE_LENGTH)
    return `${redactor.redact(this.asked)} -> ${said} ${shown}`
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sees every reply of this VU, and reads whose body never parsed. Not set in load tests, which have no time for it. */
export const onlooker: {
  look?: (target: Target, spec: RequestSpec, reply: Reply) => void
  neverParsed?: (spec: RequestSpec, reply: Reply) => void
} = {}

/** What tells that an answer is none of the exchange: pure, for tests. */
export type Answered = {
  status: number
  contentType: string
  text: string
  /** Undefined where the text is none. */
  json: unknown
  location: string | undefined
}

/** Why an answer says nothing of the exchange's own, whatever was asked; undefined where it may be the exchange's. */
export function whyNotTheExchange(answer: Answered): string | undefined {
  const { status, location } = answer
  if (status >= 300 && status < 400) return `a redirect, to ${location ?? 'nowhere'}: not followed`
  // A refusal may come from what stands before an exchange, and as its page; a success may not: bodies are JSON.
  if (status >= 200 && status < 300 && isHtml(answer)) return 'an HTML page where the interface has JSON'
  return undefined
}

/** With which an exchange may refuse it all the same, rightly or not: that is for probes to say. */
const REFUSALS = [400, 401, 403, 422, 429]

/** As whyNotTheExchange, for a read that every exchange has: nothing there, or a page, is none. */
export function whyNoSuchRead(answer: Answered): string | undefined {
  const { status, json } = answer
  if (status >= 400 && !REFUSALS.includes(status)) return `nothing there: ${status}`
  if (isHtml(answer)) return `an HTML page: ${status}`
  const isRecord = typeof json === 'object' && json !== null
  if (status >= 200 && status < 300 && !isRecord) return `no JSON object: ${status}`
  return whyNotTheExchange(answer)
}

/** Of a body that may be long. */
const HEAD_LENGTH = 1000

function isHtml(answer: Answered): boolean {
  const { contentType } = answer
  // Every request of a load comes by here, and looking into its body takes time.
  if (contentType.startsWith('application/json')) return false
  return (
    /^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)\b/i.test(answer.text.slice(0, HEAD_LENGTH))
  )
}

/** Statuses as people read them, the lowest first, as in a race nobody decides the order: `200, 49 x 409`. */
export function tallyStatuses(replies: readonly { status: number }[]): string {
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => (count === 1 ? `${status}` : `${count} x ${status}`))
    .join(', ')
}
