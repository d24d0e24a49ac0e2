import type { Choices } from '../../../contract/profile.ts'
import { handsOut, learnSecrets } from '../secrets/learn-secrets.ts'
import { redactor } from '../secrets/redact.ts'

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
