import type { Choices } from '../../contract/profile.ts'
import { RESPONSE_BOUNDS } from '../../contract/response-bounds.ts'
import { pickText } from './pick.ts'

/**
 * Keeps secrets out of everything that a scenario writes: the values it was told of, what stands in a body under the name
 * of a secret, and what looks like a token.
 */
export function createRedactor() {
  // A list and objects, as k6 lets a VU pay 20 kB for all that sets and maps can do.
  const secrets: string[] = []
  const known: Record<string, true> = Object.create(null)
  // By how they begin: a crowd of clients holds thousands, and each line would be searched for every one of them.
  const byStart: Record<string, Alike> = Object.create(null)
  const later: (() => readonly (string | undefined)[])[] = []
  const askSources = () => {
    for (const source of later.splice(0)) source().forEach(add)
  }
  const secretAt = (text: string, at: number): string | undefined => {
    const alike = byStart[text.slice(at, at + LENGTH_MIN)]
    if (alike === undefined) return undefined
    const length = alike.lengths.find((length) => text.slice(at, at + length) in known)
    return length === undefined ? undefined : text.slice(at, at + length)
  }
  const blankSecrets = (text: string): string => {
    let clean = ''
    let from = 0
    for (let at = 0; at + LENGTH_MIN <= text.length; ) {
      const secret = secretAt(text, at)
      if (secret === undefined) at++
      else {
        clean += text.slice(from, at) + BLANK
        at += secret.length
        from = at
      }
    }
    return clean + text.slice(from)
  }
  const redact = (text: string): string => {
    askSources()
    return blankSecrets(text)
      .replace(/\bss_[A-Za-z0-9_-]{4,}/g, `ss_${BLANK}`)
      .replace(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, BLANK)
  }
  /** Remembers a secret; short texts are left alone, as they would blank out half of every line. */
  const add = (secret: string | undefined): void => {
    if (secret === undefined || secret.length < LENGTH_MIN) return
    if (secret in known) return
    secrets.push(secret)
    known[secret] = true
    const start = secret.slice(0, LENGTH_MIN)
    const alike = byStart[start] ?? { count: 0, lengths: [] }
    byStart[start] = alike
    alike.count++
    if (alike.lengths.includes(secret.length)) return
    // The longest first: one may begin as another does.
    alike.lengths = [...alike.lengths, secret.length].sort((a, b) => b - a)
  }
  /**
   * Remembers what a body holds under the name of a secret: it may stand elsewhere too, as the nonce does in the message to sign. It
   * looks at so many values only, as a body may have millions.
   */
  const learn = (body: unknown): void => {
    const left = [body]
    for (let seen = 0; left.length > 0; ) {
      const holder = left.pop()
      if (typeof holder !== 'object' || holder === null) continue
      // Object.entries would make a pair of each at once.
      for (const name in holder) {
        if (seen++ === RESPONSE_BOUNDS.jsonValuesMax) return
        const value = (holder as Record<string, unknown>)[name] // as: JSON, whose names are its own
        if (isSecret(name, value)) add(String(value))
        else if (typeof value === 'object') left.push(value)
      }
    }
  }
  const blank = (name: string, value: unknown): unknown => {
    if (isSecret(name, value)) return BLANK
    return typeof value === 'string' ? redact(value) : value
  }
  /** As JSON.stringify, with secrets blanked out; it ends once it is as long as asked for, and at so many levels. */
  const write = (name: string, value: unknown, { length, levels }: Room): string => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(blank(name, value))
    if (levels === 0) return DEEPER
    const isList = Array.isArray(value)
    let text = isList ? '[' : '{'
    for (const key in value) {
      if (text.length >= length) return text
      if (text.length > 1) text += ','
      if (!isList) text += `${JSON.stringify(key)}:`
      const inner = (value as Record<string, unknown>)[key] // as: JSON, whose names are its own
      text += write(key, inner, { length: length - text.length, levels: levels - 1 })
    }
    return text + (isList ? ']' : '}')
  }
  return {
    /** How much is known by now; what is learned later can be forgotten again. */
    mark(): number {
      askSources()
      return secrets.length
    },
    /** Forgets what was learned since the mark: for secrets that have ended, where nothing of them can be shown any more. */
    forgetSince(mark: number): void {
      for (const secret of secrets.splice(mark)) {
        delete known[secret]
        const start = secret.slice(0, LENGTH_MIN)
        const alike = byStart[start]
        if (alike !== undefined && --alike.count === 0) delete byStart[start]
      }
    },
    add,
    /** Where secrets are to be had once something is shown: a VU of a load that shows nothing never asks. */
    addLater(source: () => readonly (string | undefined)[]): void {
      later.push(source)
    },
    learn,
    redact,
    /**
     * The beginning of a body or a frame, as redact shows it: JSON is read first, as its escapes would hide a secret. Of a
     * long list only the rows that are shown are searched.
     */
    redactBody(text: string, length = TOKEN_LENGTH_MAX): string {
      const value = parseJson(text)
      const room = { length, levels: RESPONSE_BOUNDS.jsonLevelsMax }
      const shown = value === undefined ? text.slice(0, length + TOKEN_LENGTH_MAX) : write('', value, room)
      return redact(shown).slice(0, length)
    },
  }
}

/** Secrets of the same beginning: how many, and how long they are or once were. */
type Alike = { count: number; lengths: readonly number[] }

/** For how much of a value there is room. */
type Room = { length: number; levels: number }

export type Redactor = ReturnType<typeof createRedactor>

const BLANK = '<redacted>'
const LENGTH_MIN = 8
const DEEPER = '"…"'
/** Half a token does not look like one: a text is cut this long after what is shown of it. */
const TOKEN_LENGTH_MAX = 16_384

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  // Names of credentials; `token0`, `token_in` and the like are public ids.
  const whole = /^((access|refresh|session|api|auth|ws|bearer)?[_-]?token|jwt|signature)$/i
  const part = /ticket|csrf|xsrf|secret|nonce|cookie/i
  return String(value).length >= LENGTH_MIN && (whole.test(name) || part.test(name))
}

/** The redactor of this VU. */
export const redactor = createRedactor()

/** Where credentials are handed out. Elsewhere a `nonce` is public: a swap has one. */
export function handsOut(path: string): boolean {
  // Every request of a load comes by here, and few go on to the expression.
  return path[1] === 'a' && /^\/(auth|api-tokens)(\/|$)/.test(path)
}

/**
 * Tells the redactor of every credential that a reply hands out, before anything of it can be shown: its cookies, what
 * stands under the name of a secret, and what stands where the profile says that the CSRF token and the ticket lie.
 */
export function learnSecrets(
  redactor: Pick<Redactor, 'add' | 'learn'>,
  reply: { path: string; json: unknown; cookies: readonly { value: string }[] },
  choices: Pick<Choices, 'verify' | 'wsTicket'>,
): void {
  for (const { value } of reply.cookies) redactor.add(value)
  if (!handsOut(reply.path)) return
  redactor.learn(reply.json)
  redactor.add(pickText(reply.json, choices.verify.csrfToken))
  redactor.add(pickText(reply.json, choices.wsTicket.ticket))
}

const LENGTH_MAX = 240
/** Ports are any that were free. */
const ADDRESS = /\b(?:\d{1,3}\.){3}\d{1,3}:\d+\b|\[[0-9a-f:]+\]:\d+/g

/** A text as a line of the timeline has it: cut where it is long, and without what differs from run to run. */
export function lineOf(text: string): string {
  const begun = text.slice(0, 2 * LENGTH_MAX)
  const line = begun.replace(ADDRESS, '<address>').replace(/\s+/g, ' ')
  return line.length <= LENGTH_MAX && begun === text
    ? line
    : `${line.slice(0, LENGTH_MAX)}… (${text.length} characters)`
}
