import type { Choices } from '../../contract/profile.ts'
import { handsOut, learnSecrets } from './learn-secrets.ts'
import { redactor } from './redact.ts'

export type Cookie = { name: string; value: string; httpOnly: boolean }

export type Reply = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  readonly json: unknown
  /** The body as it came. */
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

/** What hands out credentials is read at once, before anything of it can be shown. */
export function createReply(options: {
  asked: string
  path: string
  answer: Answer
  choices: Choices
}): Reply {
  const { path, answer } = options
  const reply = new LazyReply(options.asked, answer)
  if (handsOut(path) || reply.setsCookies) {
    const { json, cookies } = reply
    learnSecrets(redactor, { path, json, cookies }, options.choices)
  }
  return reply
}

/** The same answer with other evidence. Read whole: to copy a reply by `...` would leave out what is read on demand. */
export function withEvidence(reply: Reply, evidence: () => string): Reply {
  const { status, headers, json, text, contentType, location, cookies } = reply
  return { status, headers, json, text, contentType, location, cookies, evidence }
}

const EVIDENCE_LENGTH = 300

/**
 * An answer, read only as far as somebody asks: parsing a page of a list costs a VU five times as much as asking for it. A
 * class, as a VU makes an object of ten closures in the time that half a request takes.
 */
class LazyReply implements Reply {
  readonly status: number
  readonly contentType: string
  readonly setsCookies: boolean
  readonly #location: string | undefined
  readonly #asked: string
  readonly #answer: Answer
  #json: { value: unknown } | undefined
  #headers: Record<string, string> | undefined
  #cookies: Cookie[] | undefined

  constructor(asked: string, answer: Answer) {
    // Each way into an object of k6 costs as much as ten statements: this one is gone once.
    const { headers } = answer
    this.status = answer.status
    this.contentType = headers['Content-Type'] ?? ''
    this.setsCookies = headers['Set-Cookie'] !== undefined
    this.#location = headers.Location
    this.#asked = asked
    this.#answer = answer
  }

  get text(): string {
    const { body } = this.#answer
    return typeof body === 'string' ? body : ''
  }

  get location(): string | undefined {
    return this.#location === undefined ? undefined : redactor.redact(this.#location)
  }

  get headers(): Record<string, string> {
    this.#headers ??= lowerCaseNames(this.#answer.headers)
    return this.#headers
  }

  get json(): unknown {
    this.#json ??= { value: parseJson(this.text) }
    return this.#json.value
  }

  get cookies(): Cookie[] {
    this.#cookies ??= cookiesOf(this.#answer)
    return this.#cookies
  }

  evidence(): string {
    const { status, error } = this.#answer
    const said = status === 0 ? `no answer (${error})` : String(status)
    // Redacted before it is cut: half a secret is one that the redactor does not know.
    const shown = redactor.redactBody(this.text).slice(0, EVIDENCE_LENGTH)
    return `${redactor.redact(this.#asked)} -> ${said} ${shown}`
  }
}

function cookiesOf({ cookies }: Answer): Cookie[] {
  return Object.values(cookies)
    .flat()
    .map((cookie) => {
      // At run time the field is `http_only`, whatever the type declarations call it.
      const { name, value, http_only } = cookie as { name: string; value: string; http_only?: boolean }
      return { name, value, httpOnly: http_only === true }
    })
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
