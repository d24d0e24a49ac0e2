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

const EVIDENCE_LENGTH = 300

/**
 * An answer, read only as far as somebody asks: parsing a page of a list costs a VU five times as much as asking for it. What
 * hands out credentials is read at once, before anything of it can be shown.
 */
export function createReply(options: {
  asked: string
  path: string
  answer: Answer
  choices: Choices
}): Reply {
  const { asked, path, answer } = options
  // Each way into an object of k6 costs as much as ten statements: this one is gone once.
  const { status, headers } = answer
  const location = headers.Location
  const read: { json?: { value: unknown }; headers?: Record<string, string>; cookies?: Cookie[] } = {}
  const reply: Reply = {
    status,
    contentType: headers['Content-Type'] ?? '',
    location: location === undefined ? undefined : redactor.redact(location),
    get text() {
      return textOf(answer)
    },
    get headers() {
      read.headers ??= lowerCaseNames(headers)
      return read.headers
    },
    get json() {
      read.json ??= { value: parseJson(textOf(answer)) }
      return read.json.value
    },
    get cookies() {
      read.cookies ??= cookiesOf(answer)
      return read.cookies
    },
    evidence() {
      const said = status === 0 ? `no answer (${answer.error})` : String(status)
      // Redacted before it is cut: half a secret is one that the redactor does not know.
      const shown = redactor.redactBody(textOf(answer)).slice(0, EVIDENCE_LENGTH)
      return `${redactor.redact(asked)} -> ${said} ${shown}`
    },
  }
  if (handsOut(path) || headers['Set-Cookie'] !== undefined) {
    const { json, cookies } = reply
    learnSecrets(redactor, { path, json, cookies }, options.choices)
  }
  return reply
}

function textOf({ body }: Answer): string {
  return typeof body === 'string' ? body : ''
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
